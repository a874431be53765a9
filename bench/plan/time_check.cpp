// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/time_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/plan/expected_time.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {

void require_time(const Setup& setup) {
  if (mpi::rank_model().one_process) return;  // simulated delays take no time
  constexpr std::uint64_t iterations_to_look_at = 8;
  const Options& options = setup.options;
  const auto refuse = [&](std::string_view option, std::string_view value, double us) {
    throw text::bad_value(option, value,
                          fmt::format("takes {:.6g} s in an iteration, and the run ends after {:g} "
                                      "s without progress; legal: less, or a longer --timeout",
                                      us / 1e6, options.timeout));
  };
  const double most_us = options.timeout * 1e6;
  if (setup.compute_us >= most_us) {
    refuse("--compute", fmt::format("{:g}s", setup.compute_us / 1e6), setup.compute_us);
  }
  if (setup.replay) {
    const double us = static_cast<double>(setup.replay->longest_gap_ns) / 1000;
    if (us >= most_us) refuse("--replay", options.replay.folder, us);
  }
  const auto ranks = static_cast<int>(setup.nodes.of_rank.size());
  for (const arrivals::ArrivalPattern& pattern : setup.arrivals) {
    for (std::uint64_t iteration = 0; iteration < iterations_to_look_at; ++iteration) {
      const std::vector<double> delays =
          arrivals::arrivals_us(pattern, ranks, options.seed.value(), iteration, 0);
      const double us = setup.compute_us + std::ranges::max(delays);
      if (us >= most_us) refuse("--arrival", pattern.label, us);
    }
  }
}

void require_expected_times(const Setup& setup) {
  if (mpi::rank_model().one_process) return;  // simulated cases take no time
  const auto running = static_cast<std::size_t>(std::ranges::count_if(
      setup.contenders, [](const Contender& contender) { return !contender.why_not.has_value(); }));
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      const double waited_s =
          setup.replay ? static_cast<double>(setup.replay->shortest_ns) / 1e9 : 0;
      require_expected_time(setup.options, one.key, running, waited_s);
    }
  }
}

}  // namespace gatherbench::bench
