// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace gatherbench::bench {

/// A line on standard error: cases done, time left. On a terminal it is rewritten in place;
/// elsewhere it is silent unless asked for.
class Progress {
 public:
  Progress(bool asked_for, std::size_t cases);
  /// Before a case. `done` were measured since this Progress began, `skipped` before it.
  void show(std::size_t done, std::size_t skipped, std::string_view current);
  /// Removes the line, before something else is printed or at the end.
  void clear() const;

 private:
  bool terminal_;
  bool wanted_;
  std::size_t cases_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gatherbench::bench
