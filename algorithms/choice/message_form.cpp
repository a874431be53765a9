// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/message_form.h"

#include "formats/text/parse.h"

namespace gatherbench::algorithms {
namespace {

constexpr std::int64_t max_batch = 1'000'000;

}  // namespace

bool read_message_form(std::string_view option, std::string_view text, MessageForm& form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = text.substr(0, equals);
  const std::string_view value = text.substr(equals + 1);
  if (key == "noncontiguous") {
    form.noncontiguous = text::parse_named(option, noncontiguous_names, value);
    return true;
  }
  if (key == "batch") {
    form.batch = text::parse_integer(option, value, 1, max_batch);
    return true;
  }
  return false;
}

}  // namespace gatherbench::algorithms
