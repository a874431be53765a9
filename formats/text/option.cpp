// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/option.h"

#include <CLI/CLI.hpp>
#include <cstddef>

#include "formats/text/parse.h"

namespace gatherbench::text {

Option Option::required(bool required) const {
  option_->required(required);
  return *this;
}

Option Option::not_with(std::string_view other, std::string_view why,
                        std::string_view legal) const {
  return word_not_with("", other, why, legal);
}

Option Option::word_not_with(std::string_view word, std::string_view other, std::string_view why,
                             std::string_view legal) const {
  rules_->push_back(
      {option_, std::string(word), std::string(other), std::string(why), std::string(legal)});
  return *this;
}

Option Option::refused(std::string_view word, std::string_view why, std::string_view legal) const {
  return word_not_with(word, "", why, legal);
}

Option Option::needs(std::string_view other) const {
  rules_->push_back({option_, "", std::string(other), "", ""});
  return *this;
}

Option Option::may_be_bare(const std::string& text) const {
  option_->expected(0, 1)->default_str(text);
  return *this;
}

Option Option::repeatable() const {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

Option Option::described(const std::string& help) const {
  option_->description(wrapped_help(help));
  return *this;
}

// CLI11 indents what follows.
std::string wrapped_help(std::string_view help) {
  constexpr std::size_t width = 58;
  std::string lines;
  std::size_t column = 0;
  for (const std::string_view word : split(help, ' ')) {
    if (column > 0 && column + word.size() >= width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
    }
    lines += word;
    column += word.size() + 1;
  }
  return lines;
}

std::string long_name(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

}  // namespace gatherbench::text
