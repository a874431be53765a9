// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/conditions/arrival_injection.h"
#include "bench/conditions/congestion.h"
#include "bench/conditions/load.h"
#include "bench/conditions/synchroniser.h"
#include "bench/conditions/traffic.h"
#include "bench/duet/turns.h"
#include "bench/host/cache_line.h"
#include "bench/host/counters.h"
#include "bench/measure/call_buffers.h"
#include "bench/measure/checked_buffers.h"

namespace gatherbench::bench {

/// The settings of a measurement.
struct MeasureSettings {
  std::int64_t iterations = 1;
  std::int64_t warmup = 0;
  std::optional<double> precision = {};  ///< of the median's confidence interval, a fraction
  std::optional<double> max_time = {};   ///< seconds for the whole group
  std::int64_t turn = 1;                 ///< timed calls of an algorithm that follow each other
  std::int64_t cycles = 0;               ///< of write, call and read behind a turn's timed calls
  bool read = false;                     ///< the result is read after each call
  bool record_ranks = false;
  std::int64_t recorded_calls = 0;  ///< after the timed ones, at most as many; 0: no steps
  Sync sync = Sync::barrier;
  Processing processing = {};
  std::vector<Load> loads = {Load{}};
  /// Calls of MPI_Test in the computation of loads that compute; none: calls are not begun and
  /// waited for apart.
  std::optional<std::int64_t> overlap = {};
};

/// The resources of a measurement, beside the calls. A null pointer: there is none.
struct MeasureResources {
  Turns* turns = nullptr;                ///< with another job, round by round
  CallBuffers* buffers = nullptr;        ///< what is done to them before and after each call
  CheckedBuffers* checked = nullptr;     ///< for the timed results; null: they are not checked here
  Traffic* traffic = nullptr;            ///< of loads that have some
  Congestion* congestion = nullptr;      ///< of loads that are congested
  CounterRecorder* counters = nullptr;   ///< from the first timed call to the last
  CacheLineProbe* cache_line = nullptr;  ///< before and after each batch of calls
  /// Tells rank 0's user between batches how far the case is. Empty: nobody is told.
  std::function<void(std::string_view part)> tell = {};
};

}  // namespace gatherbench::bench
