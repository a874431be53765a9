// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace gatherbench::text {

/// What --help prints: description, usage, options by their groups, commands, footer. Not by the
/// library's own formatter, since completions and manual pages read the text, and it looks
/// different from CLI11 2.5 on.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_text();

}  // namespace gatherbench::text
