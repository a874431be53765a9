// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/measure/statistics.h"
#include "bench/results/column.h"

namespace gatherbench::bench {
namespace {

/// None if no iteration counts.
std::optional<double> median_us(const Series& series) {
  const std::vector<double> us = column(series.timings.counted(), "avg_us");
  if (us.empty()) return std::nullopt;
  return percentile(us, 50);
}

/// Of each group: alone, and beside what the last of the series was measured beside.
std::vector<std::pair<const Series*, const Series*>> pairs_of(std::span<const Series> series) {
  std::vector<std::pair<const Series*, const Series*>> pairs;
  for (const Series& alone : series) {
    if (alone.beside != formats::nothing_beside) continue;
    for (const Series& beside : series) {
      const bool is_other = &beside != &alone && beside.beside == series.back().beside;
      if (is_other && beside.group == alone.group) pairs.emplace_back(&alone, &beside);
    }
  }
  return pairs;
}

}  // namespace

std::optional<Impact> impact_of(std::span<const Series> series) {
  std::vector<double> idle;
  std::vector<double> loaded;
  std::vector<double> factors;
  for (const auto& [alone, beside] : pairs_of(series)) {
    const std::optional<double> alone_us = median_us(*alone);
    const std::optional<double> beside_us = median_us(*beside);
    if (!alone_us || !beside_us || *alone_us <= 0) continue;
    idle.push_back(*alone_us);
    loaded.push_back(*beside_us);
    factors.push_back(*beside_us / *alone_us);
  }
  if (factors.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(factors);
  return Impact{percentile(idle, 50), percentile(loaded, 50), percentile(factors, 50), least, most};
}

std::string text_of(const Impact& impact, const std::string& beside) {
  std::string text = fmt::format("alone {:.2f} us, beside {} {:.2f} us: impact factor {:.2f}",
                                 impact.idle_us, beside, impact.loaded_us, impact.factor);
  if (impact.least < impact.most) {
    text += fmt::format(" ({:.2f} to {:.2f})", impact.least, impact.most);
  }
  return text;
}

}  // namespace gatherbench::bench
