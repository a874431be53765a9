// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace gatherbench::mpi {

/// The errors of a rank's last predictions.
class RecentErrors {
 public:
  static constexpr std::size_t most = 8;

  /// Adds an error: the predicted less the actual arrival.
  void add(std::int64_t error_ns) {
    absolute_ns_[count_ % most] = std::abs(error_ns);
    ++count_;
  }

  /// The upper median of the absolute errors, which one interruption of a rank does not move.
  /// Before the first prediction it is 0.
  [[nodiscard]] std::int64_t typical_ns() const {
    std::array<std::int64_t, most> ordered = absolute_ns_;
    const std::size_t known = std::min(count_, most);
    if (known == 0) return 0;
    const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(known / 2);
    std::nth_element(ordered.begin(), middle, ordered.begin() + static_cast<std::ptrdiff_t>(known));
    return *middle;
  }

 private:
  std::array<std::int64_t, most> absolute_ns_{};
  std::size_t count_ = 0;
};

}  // namespace gatherbench::mpi
