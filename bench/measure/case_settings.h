// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "bench/conditions/congestion.h"
#include "bench/conditions/traffic.h"
#include "bench/duet/turns.h"
#include "bench/host/cache_line.h"
#include "bench/host/counters.h"
#include "bench/measure/call_buffers.h"
#include "bench/measure/checked_buffers.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// A case as it is timed: what is settled for the launch, and what follows from it for this case.
struct CaseSettings {
  const Setup& launch;
  const Case& the_case;
  double message_us = 0;  ///< time of a block's message, where it is needed

  [[nodiscard]] std::int64_t iterations() const {
    return launch.options.iterations_at(the_case.key.bytes);
  }
  [[nodiscard]] std::int64_t warmup() const { return launch.options.warmup_at(the_case.key.bytes); }
  /// Returns the seconds that algorithms which take turns may take together; none: any number. The
  /// time is the case's, so one algorithm after the other has a share of it.
  [[nodiscard]] std::optional<double> max_time() const {
    std::optional<double> seconds = launch.options.max_time;
    if (seconds && launch.options.order.kind == Order::sequential) {
      *seconds /= static_cast<double>(launch.contenders.size());
    }
    return seconds;
  }
  /// Returns how many cycles of write, call and read follow a turn's timed calls.
  [[nodiscard]] std::int64_t cycles() const { return delays() ? 0 : launch.cycles; }
  /// Returns after how many timed calls, at most, the steps of another one are recorded; 0: none.
  [[nodiscard]] std::int64_t recorded_calls() const {
    return launch.options.records(formats::File::steps) ? most_recorded_calls : 0;
  }
  /// Returns whether the arrival pattern delays ranks.
  [[nodiscard]] bool delays() const { return !the_case.arrival->is_none(); }
  /// Returns whether ranks pass some time between the start of an iteration and their arrival.
  [[nodiscard]] bool processes() const { return launch.compute_us > 0 || delays(); }
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
