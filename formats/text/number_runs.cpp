// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/number_runs.h"

#include <fmt/format.h>

#include <cstddef>

namespace gatherbench::text {

std::string format_runs(std::span<const int> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::to_string(numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace gatherbench::text
