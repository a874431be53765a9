// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

namespace gatherbench::bench {

/// The average of the last times of something that recurs, by which Marendic et al. 2016 (section
/// 4) predict.
class MovingAverage {
 public:
  static constexpr std::size_t window = 5;

  void add(std::int64_t ns) { last_ns_[count_++ % window] = ns; }

  /// Returns the average of as many as there are, up to the window; none before the first one.
  [[nodiscard]] std::optional<std::int64_t> ns() const {
    const std::size_t known = std::min(count_, window);
    if (known == 0) return std::nullopt;
    const auto end = last_ns_.begin() + static_cast<std::ptrdiff_t>(known);
    return std::accumulate(last_ns_.begin(), end, std::int64_t{0}) /
           static_cast<std::int64_t>(known);
  }

 private:
  std::array<std::int64_t, window> last_ns_{};
  std::size_t count_ = 0;
};

}  // namespace gatherbench::bench
