// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <span>

#include "runtime/mpi/window/channel.h"

namespace gatherbench::mpi {

/// The turns that a rank takes between two looks at the copies that it waits for. At first it only
/// looks. Then the MPI library and the other ranks of its processor have a turn each. A look
/// follows on each of these turns, because a library may give the processor away, too (Open MPI
/// does, with more ranks than cores): two turns in a row were two changes of ranks for one look,
/// and calls with 4 ranks on 2 cores took up to 1.7 times as long.
class Patience {
 public:
  enum class Turn { none, library, others };
  /// The number of looks at one transfer before the first turn, of about 5 ns each. Measured with
  /// 2, 4 and 8 ranks on 2 cores: 200 looks cost up to 1.4 times the time with 4 and 8 ranks, and
  /// fewer than 50 gain 5 % there; with 2 ranks, 10 to 800 are the same.
  static constexpr std::size_t looks = 50;

  /// Returns the turn after a look at so many transfers, which found something to do (`moved`) or
  /// nothing.
  [[nodiscard]] Turn next(bool moved, std::size_t transfers) {
    idle_ = moved ? 0 : idle_ + transfers;
    if (idle_ < looks) return Turn::none;
    library_ = !library_;
    return library_ ? Turn::library : Turn::others;
  }

 private:
  std::size_t idle_ = 0;
  bool library_ = false;
};

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
  /// Yields or sleeps, as kind() says.
  void give_away();

 private:
  Clock::time_point until_;  // when it yields again
};

/// Lets the MPI library go on with the requests; returns true if all are complete. Throws MpiError.
[[nodiscard]] bool are_complete(std::span<MPI_Request> requests);

/// Lets the MPI library go on with what it still has to send for earlier calls on any communicator.
/// A test of requests that are complete need not do that. Throws MpiError.
void let_library_go_on(MPI_Comm comm);

/// Waits until all copies are done and all requests complete. It goes on with all of them beside
/// each other, and also with what the MPI library still has to send for earlier calls on `comm`:
/// the receiver of that may be the rank that others wait for. Ranks that share the processor go on,
/// too (Patience, Backoff). Throws MpiError.
void wait_for(Copies& copies, std::span<MPI_Request> requests, MPI_Comm comm);

}  // namespace gatherbench::mpi
