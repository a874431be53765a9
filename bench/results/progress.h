// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gatherbench::bench {

/// A line on standard error: cases done, time left. On a terminal it is rewritten in place;
/// elsewhere (the pipe of a launcher) there is a new one a minute, or for each case if that is
/// asked for.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// `asked_for`: whether the user asked for it; none: nobody said. `terminal`: standard error is
  /// one.
  Progress(std::optional<bool> asked_for, bool terminal, std::size_t cases,
           Clock::time_point start = Clock::now());
  /// Shows the line before a case: `done` cases were measured since this Progress began, `skipped`
  /// before it.
  void show(std::size_t done, std::size_t skipped, std::string_view current,
            Clock::time_point now = Clock::now());
  /// Shows within a long case, once a minute at most, how far it is, such as "3 of 10 timed
  /// rounds".
  void show_part(std::string_view part, Clock::time_point now = Clock::now());
  /// Removes the line, before something else is printed or at the end.
  void clear() const;

 private:
  void print(std::string_view more) const;

  bool terminal_;
  bool wanted_;
  std::size_t cases_;
  Clock::duration interval_;  ///< at least, between lines
  Clock::time_point start_;
  std::string case_;        ///< the one that is measured, as it is shown
  Clock::time_point last_;  ///< when the last line was shown
};

}  // namespace gatherbench::bench
