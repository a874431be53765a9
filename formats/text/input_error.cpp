// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/text/nearest.h"

namespace gatherbench::text {

InputError bad_value(std::string_view option, std::string_view value, std::string_view reason) {
  return InputError(fmt::format("{}: '{}' {}", option, value, reason));
}

InputError unknown_name(std::string_view option, std::string_view kind, std::string_view value,
                        std::span<const std::string_view> legal, std::string_view listed_by) {
  const std::string_view guess = nearest(value, legal);
  const std::string hint = guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess);
  const bool brief = !guess.empty() && !listed_by.empty();
  return bad_value(option, value,
                   fmt::format("is no {}{}; legal: {}", kind, hint,
                               brief ? fmt::format("the {} of {}", legal.size(), listed_by)
                                     : fmt::format("{}", fmt::join(legal, ", "))));
}

}  // namespace gatherbench::text
