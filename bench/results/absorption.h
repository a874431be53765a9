// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formats/iteration.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// How an algorithm takes it that ranks do not arrive together (Marendic 2016, 3.1), in medians
/// over the iterations; microseconds.
struct Absorption {
  double balanced_run_us;  ///< run time when all arrive together
  double run_us;           ///< run time under the pattern: last exit minus first arrival
  double imbalance_us;     ///< as it was measured
  /// What of the imbalance did not make the run longer; negative if the run grew by more. The
  /// definition (3.6) is of one pattern, and a random one is another in each iteration: so this is
  /// the median of the iterations' own, not the difference of the medians above.
  double absorbed_us;

  [[nodiscard]] double normalised() const { return absorbed_us / balanced_run_us; }
  [[nodiscard]] double normalised_imbalance() const { return imbalance_us / balanced_run_us; }
};

/// "run 12.00 us (balanced 8.00 us), imbalance ...": for the line below a row of the table.
std::string text_of(const Absorption& absorption);

/// What the words of that line mean, for the head of the table.
inline constexpr std::string_view words_of_absorption =
    "Below rows: run: from the first arrival to the last exit (balanced: where all arrive "
    "together); imbalance: from the first arrival to the last; absorbed: what of it did not make "
    "the run longer, and below 0 where the run grew by more than the imbalance.";

/// The balanced runs of a launch, by case and algorithm.
class BalancedRuns {
 public:
  /// `iterations`: those that count, at least one.
  void add(const formats::CaseKey& key, const std::string& algorithm,
           std::span<const formats::Iteration> iterations);
  /// Of a case under an arrival pattern; none if its balanced run is not known (an earlier launch
  /// measured it).
  [[nodiscard]] std::optional<Absorption> absorption(
      const formats::CaseKey& key, const std::string& algorithm,
      std::span<const formats::Iteration> iterations) const;

 private:
  std::map<std::pair<std::string, std::string>, double> run_us_;
};

}  // namespace gatherbench::bench
