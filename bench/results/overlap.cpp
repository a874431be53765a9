// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/measure/statistics.h"
#include "bench/results/column.h"

namespace gatherbench::bench {

double Overlap::percent() const {
  if (alone_us <= 0) return 0;
  return std::max(0.0, 100 * (1 - (together_us - computed_us) / alone_us));
}

bool Overlap::is_doubtful() const { return std::abs(computed_us - alone_us) > 0.1 * alone_us; }

std::optional<Overlap> overlap_of(std::span<const Series> series) {
  const auto find = [&](std::string_view beside) {
    return std::ranges::find_if(series, [&](const Series& one) {
      return one.beside == beside && one.group == series.front().group;
    });
  };
  const auto together = find(series.back().beside);
  const std::vector<double> computed = column(together->timings.counted(), "overlapped_us");
  const bool is_group = together->beside != formats::beside_computation;
  const auto alone = find(is_group ? formats::beside_groups : formats::nothing_beside);
  if (computed.empty() || alone == series.end() || alone->timings.counted().empty()) {
    return std::nullopt;
  }
  const auto mean_us = [](const Series& one) {
    return mean(column(one.timings.counted(), "avg_us"));
  };
  return Overlap{mean_us(*alone), mean(computed), mean_us(*together)};
}

std::string text_of(const Overlap& overlap) {
  return fmt::format("alone {:.2f} us, computation {:.2f} us, both {:.2f} us: overlap {:.1f} %{}",
                     overlap.alone_us, overlap.computed_us, overlap.together_us, overlap.percent(),
                     overlap.is_doubtful() ? ", doubtful: computation and call alone differ" : "");
}

}  // namespace gatherbench::bench
