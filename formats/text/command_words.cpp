// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/command_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

#include "formats/text/input_error.h"

namespace gatherbench::text {

void require_values(std::span<const std::string> words) {
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals + 1 != word.size()) continue;
    throw bad_value(word.substr(0, equals), "", "is no value; legal: a value behind the '='");
  }
}

bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-')) return false;
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error != std::errc::invalid_argument && end == word.data() + word.size();
}

std::string parser_message(std::string_view message) {
  constexpr std::string_view unexpected = "The following argument was not expected: ";
  if (message.starts_with(unexpected)) {
    return fmt::format("command line: '{}' was not expected; legal: the options that --help lists",
                       message.substr(unexpected.size()));
  }
  constexpr std::string_view several = " required but received ";
  if (const std::size_t at = message.find(several); at != std::string_view::npos) {
    return fmt::format("{}: is given {} times; legal: once", message.substr(0, message.find(':')),
                       message.substr(at + several.size()));
  }
  constexpr std::string_view missing = " missing";
  constexpr std::string_view required = ": 1 required ";
  const std::size_t at = message.find(required);
  if (at == std::string_view::npos || !message.ends_with(missing)) return std::string(message);
  const std::string_view option = message.substr(0, at);
  std::string_view kind = message.substr(at + required.size());
  kind.remove_suffix(missing.size());
  return fmt::format("{}: its value is missing; legal: {} {}", option, option, kind);
}

}  // namespace gatherbench::text
