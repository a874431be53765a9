// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Returns a launch of these options. Without --iterations a case has one iteration, without
/// --warmup no other; the seed is 1, and the arrival pattern says what is predicted.
inline Setup launch_of(Options options) {
  options.iterations = options.iterations.value_or(1);
  options.warmup = options.warmup.value_or(0);
  options.seed = options.seed.value_or(1);
  options.prediction.from = arrivals::Predictor::perfect;
  return {.options = std::move(options)};
}

/// Returns a case of which only the arrival pattern matters, which must outlive it.
inline Case case_with(const arrivals::ArrivalPattern& arrival) {
  Case one{};
  one.arrival = &arrival;
  return one;
}

/// Returns a case in which nobody is late.
inline Case undelayed() {
  static const arrivals::ArrivalPattern none =
      arrivals::parse_arrivals("--arrival", "none", {}).front();
  return case_with(none);
}

}  // namespace gatherbench::bench
