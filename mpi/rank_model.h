// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

// What ranks are: processes of machines (processes/), or simulated ones that share a process
// (simulated/, SimGrid's SMPI). CMake takes one of the two.
namespace gatherbench {

/// This rank's steady clock, in nanoseconds.
std::int64_t steady_ns();

/// Passes the time until then without taking a processor.
void sleep_until(std::int64_t local_ns);

/// Passes the time until then as fast as it can look at the clock.
void spin_until(std::int64_t local_ns);

struct RankModel {
  /// All ranks share a process, so also a clock, the memory and the signals.
  bool one_process;
  /// What steady_ns is, if it is no machine's steady clock.
  std::string_view clock;
  /// Why a rank can have no thread beside itself; empty: it can.
  std::string_view why_no_threads;
};

const RankModel& rank_model();

}  // namespace gatherbench
