// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <string_view>

namespace gatherbench::bench {

/// Ends the process, with a message, when it makes no progress or is told to stop, so that nothing
/// hangs and what is in the result file stays whole. It works by signals and a timer, not by a
/// thread: nothing runs beside what is timed. A process has one at a time.
class Watchdog {
 public:
  /// Exit code after a timeout. A signal's is 128 + its number, as shells have it.
  static constexpr int timeout_exit_code = 3;

  /// This stands for a rank that no launcher tells before MPI is initialised.
  static constexpr int unknown_rank = -1;

  /// `rank` 0 reports first; the others only if it does not. `timeout` in seconds, at least 0.01.
  /// Needs no MPI, so that it watches how that starts and ends too.
  Watchdog(std::string_view program, int rank, double timeout);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Sets the rank that MPI tells, which counts from now on.
  void set_rank(int rank);

  /// Tells of something achieved: the time starts anew. It is cheap enough for every iteration.
  static void beat();

  /// Sets what is being done and what is safe so far, for the message.
  static void describe(std::string_view activity);
  /// Returns what was described last, for other messages.
  static std::string_view activity();

  /// Sets what the message names as the possible cause where no progress is made; empty: nothing.
  static void suspect(std::string_view cause);
  /// Returns what is suspected, for other messages.
  static std::string_view suspected();

  /// Makes this rank say nothing of signals from now on: it has said itself why it ends, and
  /// launchers then end all ranks.
  static void say_no_more();

  /// Sets the file that the watchdog removes when it ends the process; empty: none.
  static void remove_at_end(std::string_view path);

 private:
  void watch(int rank);

  double timeout_;
  bool watches_ = false;  ///< one of the ranks that share a process does for all
};

/// While it lives, the signals that end the process wait: what is written is not cut in two.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gatherbench::bench
