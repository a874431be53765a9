// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/measure/statistics.h"

namespace gatherbench::bench {
namespace {

double median(std::span<const formats::Iteration> iterations, formats::IterationTime time) {
  return percentile(column(iterations, time), 50);
}

std::pair<std::string, std::string> balanced_case(formats::CaseKey key,
                                                  const std::string& algorithm) {
  key.arrival = "none";
  return {key.text(), algorithm};
}

/// Returns the median of the mean times; none if no iteration counts.
std::optional<double> median_us(const Series& series) {
  const std::vector<double> us = column(series.timings.counted(), "avg_us");
  if (us.empty()) return std::nullopt;
  return percentile(us, 50);
}

/// Returns two series of each group: the one alone, and the one beside the last load.
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

std::string text_of(const Absorption& absorption) {
  return fmt::format(
      "run {:.2f} us (balanced {:.2f} us), imbalance {:.2f} us = {:.3f} balanced runs, absorbed "
      "{:.2f} us = {:.3f} balanced runs",
      absorption.run_us, absorption.balanced_run_us, absorption.imbalance_us,
      absorption.normalised_imbalance(), absorption.absorbed_us, absorption.normalised());
}

void BalancedRuns::add(const formats::CaseKey& key, const std::string& algorithm,
                       std::span<const formats::Iteration> iterations) {
  run_us_[balanced_case(key, algorithm)] = median(iterations, "run_us");
}

std::optional<Absorption> BalancedRuns::absorption(
    const formats::CaseKey& key, const std::string& algorithm,
    std::span<const formats::Iteration> iterations) const {
  const auto found = run_us_.find(balanced_case(key, algorithm));
  if (found == run_us_.end()) return std::nullopt;
  const double balanced_us = found->second;
  std::vector<double> absorbed_us;
  absorbed_us.reserve(iterations.size());
  for (const formats::Iteration& one : iterations) {
    absorbed_us.push_back(balanced_us - one["run_us"] + one["imbalance_us"]);
  }
  return Absorption{balanced_us, median(iterations, "run_us"), median(iterations, "imbalance_us"),
                    percentile(absorbed_us, 50)};
}

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
