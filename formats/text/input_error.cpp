// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace gatherbench::text {
namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t fewest = word.size() / 2 + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edits(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

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
