// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace gatherbench::text {

/// What --help prints: description, usage, options by their groups, commands, footer. Not by the
/// library's own formatter, since completions and manual pages read the text, and it looks
/// different from CLI11 2.5 on.
class HelpText : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// Of the names and kinds of options, before their texts.
inline constexpr std::size_t names_width = 22;

}  // namespace gatherbench::text
