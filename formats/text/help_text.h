// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace gatherbench::text {

/// Formats the text of --help: description, usage, options by their groups, commands, footer.
/// CLI11's own formatter is not used, since completions and manual pages read the text, and it
/// looks different from CLI11 2.5 on.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_text();

}  // namespace gatherbench::text
