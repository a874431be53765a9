// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace gatherbench::mpi {

/// The ways in which a thread that waits for others gives its processor away: it yields, or it
/// sleeps. Where only ranks share the processors, a yield returns within microseconds. Where
/// another program computes, it returns after a time slice of that, and Linux counts the yield as
/// time that the rank has used. A rank that sleeps is scheduled soon after it wakes.
class Backoff {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Kind { yield, sleep };

  /// A yield that takes longer than this went to another program: ranks that wait give the
  /// processor back sooner, and time slices are longer.
  static constexpr std::chrono::milliseconds longest_of_ranks{1};
  /// The thread sleeps after such a yield for so many times its duration, and then tries another
  /// one: under load, yields take a twentieth of the time that is waited.
  static constexpr int sleeps_for = 20;

  [[nodiscard]] Kind kind(Clock::time_point now) const {
    return now < until_ ? Kind::sleep : Kind::yield;
  }
  /// Takes note of a yield that took from `begin` to `end`.
  void yielded(Clock::time_point begin, Clock::time_point end);
  /// Time to sleep. Linux adds up to 50 us, but nothing in a process that wants precise timers;
  /// there, a sleep of a nanosecond is over before the thread has left its processor.
  static constexpr std::chrono::microseconds sleep{20};
  /// Yields or sleeps.
  void give_away();

 private:
  Clock::time_point until_;  // when it yields again
};

}  // namespace gatherbench::mpi
