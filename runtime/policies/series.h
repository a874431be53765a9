// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::policies {

/// Twice the median of at least one value. The median of an even number of integers may end in a
/// half; twice it is an integer, and policies compute in integers only.
std::int64_t twice_median(std::span<const std::int64_t> values);
/// Returns the distance between the quartiles; of up to four values that from the least to the
/// largest.
std::int64_t spread(std::span<const std::int64_t> values);

/// The times that were seen of a candidate: as many of the last ones as the policy looks at.
class Series {
 public:
  static constexpr std::size_t most_values = 18;
  static constexpr std::size_t most_rounds = 9;
  struct InRound {
    std::int64_t round;
    std::int64_t ns;
  };

  void add(std::int64_t ns);
  /// The calls of a round, whose numbers grow: in it their sum is what is compared.
  void add(std::span<const std::int64_t> times_ns, std::int64_t round);
  /// Adds the time between two calls; as many of the last gaps are kept as of the times.
  void add_gap(std::int64_t ns);
  void clear_gaps() { gaps_.clear(); }
  void clear();

  /// All that were added, not only those kept.
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::int64_t twice_median() const { return policies::twice_median(values_); }
  [[nodiscard]] std::span<const InRound> rounds() const { return rounds_; }
  [[nodiscard]] std::span<const std::int64_t> gaps() const { return gaps_; }

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<InRound> rounds_;
  std::vector<std::int64_t> gaps_;
};

/// The rounds that two candidates were both in, of those kept, and in how many the first one was
/// faster, where each round of the first took `more_ns` besides.
struct Match {
  std::int64_t rounds = 0;
  std::int64_t won = 0;
};
Match match(const Series& a, const Series& b, std::int64_t more_ns = 0);

}  // namespace gatherbench::policies
