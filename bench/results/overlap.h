// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/measure/case_result.h"

namespace gatherbench::bench {

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

/// Returns the overlap under the last load, if it computes, in the first group; none without
/// iterations that count.
std::optional<Overlap> overlap_of(std::span<const Series> series);
std::string text_of(const Overlap& overlap);

}  // namespace gatherbench::bench
