// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure/case_result.h"
#include "bench/plan/setup.h"
#include "bench/results/result_rows.h"
#include "formats/iteration.h"
#include "formats/row.h"

namespace gatherbench::bench {

// The lines below a row of a table: what an arrival pattern, traffic or a computation makes of a
// call.

/// The effect on an algorithm of ranks that do not arrive together (Marendic 2016, 3.1), in medians
/// over the iterations; microseconds.
struct Absorption {
  double balanced_run_us;  ///< run time when all arrive together
  double run_us;           ///< run time under the pattern: last exit minus first arrival
  double imbalance_us;     ///< as it was measured
  /// The part of the imbalance that did not make the run longer; negative if the run grew by more.
  /// The definition (3.6) is of one pattern, and a random one is another in each iteration: so this
  /// is the median of the iterations' own, not the difference of the medians above.
  double absorbed_us;

  [[nodiscard]] double normalised() const { return absorbed_us / balanced_run_us; }
  [[nodiscard]] double normalised_imbalance() const { return imbalance_us / balanced_run_us; }
};

/// Returns such as "run 12.00 us (balanced 8.00 us), imbalance ...", for the line below a row.
std::string text_of(const Absorption& absorption);

/// The meaning of the words of that line, for the head of the table.
inline constexpr std::string_view words_of_absorption =
    "Below rows: run: from the first arrival to the last exit (balanced: where all arrive "
    "together); imbalance: from the first arrival to the last; absorbed: what of it did not make "
    "the run longer, and below 0 where the run grew by more than the imbalance.";

/// The balanced runs of a launch, by case and algorithm.
class BalancedRuns {
 public:
  /// Adds a balanced run. `iterations` are those that count, at least one.
  void add(const formats::CaseKey& key, const std::string& algorithm,
           std::span<const formats::Iteration> iterations);
  /// Returns the absorption in a case under an arrival pattern; none if its balanced run is not
  /// known (an earlier launch measured it).
  [[nodiscard]] std::optional<Absorption> absorption(
      const formats::CaseKey& key, const std::string& algorithm,
      std::span<const formats::Iteration> iterations) const;

 private:
  std::map<std::pair<std::string, std::string>, double> run_us_;
};

/// The cost for an algorithm of something else that goes on at the same time (GPCNeT's impact
/// factor): its time under the last load over its time with nothing beside it, each the median over
/// the iterations of one launch, whose rounds alternate.
struct Impact {
  double idle_us;  ///< the median over the groups
  double loaded_us;
  double factor;  ///< of the group in the middle
  double least;   ///< of the group that it costs least
  double most;
};

/// Returns the impact; none if one of the two times is missing.
std::optional<Impact> impact_of(std::span<const Series> series);

/// Returns such as "alone 8.10 us, beside groups 12.30 us: impact factor 1.52 (1.49 to 1.55)", for
/// the line below a row.
std::string text_of(const Impact& impact, const std::string& beside);

/// The share of a call that is hidden behind a computation (as the OSU benchmarks have it): 100 %
/// where the two together take no longer than the computation; means over iterations, in
/// microseconds.
struct Overlap {
  double alone_us;
  double computed_us;
  double together_us;
  [[nodiscard]] double percent() const;
  /// Returns whether the computation is over a tenth longer or shorter than the call alone. It was
  /// to be as long: calls have changed their time since.
  [[nodiscard]] bool is_doubtful() const;
};

/// Returns the overlap under the last load, if it computes, in the group that tables show, the last
/// one; none without iterations that count.
std::optional<Overlap> overlap_of(std::span<const Series> series);
std::string text_of(const Overlap& overlap);

/// The tables of one distribution and arrival pattern under one numbering of the ranks, on standard
/// output: one with the algorithms side by side, or OSU's of each. Rows are printed as they come,
/// but for OSU's of several algorithms: those stand one after the other, when all is measured.
class Tables {
 public:
  /// The launch must outlive it; `first_case` tells which distribution, pattern and numbering.
  Tables(const Setup& setup, const Case& first_case);
  /// Adds results in the order of the launch's contenders. `balanced` has to know the balanced run
  /// of the case, and learns of it.
  void add(const Case& the_case, std::span<const AlgorithmResult> results, BalancedRuns& balanced);
  void finish() { print(); }

 private:
  /// The result of one algorithm in one case.
  struct Outcome {
    std::vector<formats::Iteration> iterations;  ///< those that count
    std::string why_none;                        ///< if there are none
    std::vector<std::string> remarks = {};       ///< lines below the row
  };
  static Outcome outcome_of(const Case& the_case, const AlgorithmResult& result,
                            BalancedRuns& balanced);
  /// Returns the notes about how times come about, and the launch's own.
  [[nodiscard]] std::vector<std::string> all_notes() const;
  /// Returns how many times as long another algorithm has to take for one launch to call it slower.
  [[nodiscard]] double told_apart() const;
  void begin_osu(const std::string& what);
  void begin_side_by_side(const std::string& what);
  void add_osu(std::int64_t bytes, std::span<const Outcome> outcomes);
  void add_side_by_side(std::int64_t bytes, std::span<const Outcome> outcomes,
                        std::span<const AlgorithmResult> results);
  void print();

  const Setup* setup_;
  bool side_by_side_;
  bool has_cycles_;
  bool has_arrivals_;
  std::vector<std::string> texts_;  ///< not printed yet; of each table
  std::vector<std::size_t> shown_;  ///< contenders with a column, side by side
};

}  // namespace gatherbench::bench
