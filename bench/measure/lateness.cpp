// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/lateness.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bench/measure/statistics.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr double tolerated_share = 0.05;
constexpr double tolerated_readings = 4;

}  // namespace

void mark_late(std::vector<formats::Iteration>& iterations, double clock_reading_us) {
  if (iterations.empty()) return;
  std::vector<double> averages;
  for (const formats::Iteration& one : iterations) averages.push_back(one["avg_us"]);
  const double tolerance_us =
      std::max(tolerated_share * percentile(averages, 50), tolerated_readings * clock_reading_us);
  for (formats::Iteration& one : iterations) one.late = one.behind_us > tolerance_us;
}

/// Measures in batches and takes the fastest one: the others were disturbed.
double measure_clock_reading_us() {
  constexpr int batches = 10;
  constexpr int readings = 50;
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (int batch = 0; batch < batches; ++batch) {
    const std::int64_t start_ns = mpi::steady_ns();
    std::int64_t now_ns = start_ns;
    for (int reading = 0; reading < readings; ++reading) now_ns = mpi::steady_ns();
    fastest_ns = std::min(fastest_ns, now_ns - start_ns);
  }
  return static_cast<double>(fastest_ns) / readings / 1000;
}

}  // namespace gatherbench::bench
