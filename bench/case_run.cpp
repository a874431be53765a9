// SPDX-License-Identifier: BSD-3-Clause
#include "bench/case_run.h"

#include <chrono>
#include <numeric>
#include <random>
#include <utility>

#include "bench/measure.h"
#include "bench/validate.h"
#include "bench/watchdog.h"
#include "mpi/handles.h"

namespace gatherbench {
namespace {

MeasureSettings settings_of(const Options& options, const Case& the_case, std::size_t groups) {
  MeasureSettings settings{options.iterations_at(the_case.key.bytes),
                           options.warmup_at(the_case.key.bytes), options.precision,
                           options.max_time, options.record_ranks};
  // The time is the case's, whichever way its algorithms take turns.
  if (settings.max_time) *settings.max_time /= static_cast<double>(groups);
  return settings;
}

/// On rank 0 the longest time of all ranks, elsewhere the own one.
double longest_us(std::chrono::duration<double, std::micro> own, MPI_Comm comm) {
  double longest = own.count();
  const double us = own.count();
  require(MPI_Reduce(&us, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm), "MPI_Reduce");
  return longest;
}

}  // namespace

std::vector<AlgorithmResult> run_case(const Launch& launch, const Placement& placement,
                                      const Case& the_case, std::uint32_t number,
                                      const CaseBuffers& buffers, MPI_Comm comm) {
  const Options& options = launch.options;
  const Layout layout = layout_of(the_case);
  int rank = 0;
  require(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::byte* const send = options.in_place ? nullptr : buffers.send.data();
  std::byte* const receive = buffers.receive.data();
  CheckedBuffers checked(layout, rank, send, receive);
  std::seed_seq seeds{static_cast<std::uint32_t>(options.seed),
                      static_cast<std::uint32_t>(options.seed >> 32), number};
  std::mt19937_64 random(seeds);

  std::vector<AlgorithmResult> results(launch.contenders.size());
  std::vector<std::vector<std::size_t>> groups;
  if (options.order == Order::interleaved) {
    groups.emplace_back(results.size());
    std::iota(groups[0].begin(), groups[0].end(), std::size_t{0});
  } else {
    for (std::size_t i = 0; i < results.size(); ++i) groups.push_back({i});
  }
  const MeasureSettings settings = settings_of(options, the_case, groups.size());

  for (const std::vector<std::size_t>& group : groups) {
    std::vector<Runner> runners;
    std::vector<std::size_t> running;
    for (const std::size_t i : group) {
      const Contender& contender = launch.contenders[i];
      results[i].algorithm = contender.label;
      results[i].reason = why_not(contender, layout, placement);
      if (!results[i].reason.empty()) {
        results[i].status = "skipped";
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      Runner runner =
          prepare(contender, launch.collective, options, layout, placement, send, receive);
      results[i].prepare_us = longest_us(std::chrono::steady_clock::now() - start, comm);
      checked.spoil();
      {
        const HeldSettings armed = runner.arm();
        runner.run();
      }
      Watchdog::beat();
      results[i].reason = first_text(checked.fault(), comm);
      results[i].status = results[i].reason.empty() ? "ok" : "wrong";
      if (results[i].reason.empty()) {
        runners.push_back(std::move(runner));
        running.push_back(i);
      }
    }
    if (running.empty()) continue;
    std::vector<Timings> timings =
        measure(runners, settings, options.validation ? &checked : nullptr, random, comm);
    for (std::size_t k = 0; k < running.size(); ++k) {
      AlgorithmResult& result = results[running[k]];
      if (timings[k].fault.empty()) {
        result.timings = std::move(timings[k]);
      } else {  // a wrong result is never a timing
        result.status = "wrong";
        result.reason = std::move(timings[k].fault);
      }
    }
  }
  return results;
}

}  // namespace gatherbench
