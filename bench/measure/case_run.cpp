// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/case_run.h"

#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "bench/host/watchdog.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/measure.h"
#include "bench/measure/prepare.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

MeasureSettings settings_of(const Setup& setup, const Case& the_case, double message_us,
                            std::size_t groups, Turns& turns) {
  const Options& options = setup.options;
  const Conditions& conditions = setup.conditions;
  MeasureSettings settings{options.iterations_at(the_case.key.bytes),
                           options.warmup_at(the_case.key.bytes),
                           options.precision,
                           options.max_time,
                           options.order.turn,
                           the_case.arrival->is_none() ? conditions.cycles : 0,
                           options.read,
                           options.records(formats::File::ranks),
                           options.records(formats::File::steps) ? most_recorded_calls : 0,
                           conditions.sync,
                           Processing{conditions.compute_us, the_case.arrival, message_us,
                                      options.seed.value(), conditions.wait, options.prediction},
                           &turns,
                           nullptr,
                           conditions.loads,
                           nullptr,
                           nullptr,
                           options.overlap};
  // The time is the case's, whichever way its algorithms take turns.
  if (settings.max_time) *settings.max_time /= static_cast<double>(groups);
  return settings;
}

/// Returns why a contender cannot run the case in one of the groups; none if it can in each.
std::optional<std::string> why_not(const Contender& contender, std::span<const Group> groups,
                                   const Case& the_case) {
  for (const Group& group : groups) {
    const Case own = case_of(group, the_case);
    auto why = bench::why_not(contender, own, make_layout(own), group.placement);
    if (why) return why;
  }
  return std::nullopt;
}

/// Of each load every group, and behind them the slowest one where they run together.
std::vector<Series> make_series(std::span<const Load> loads, std::span<const Group> groups,
                                const Case& the_case) {
  std::vector<Series> all;
  for (const Load& load : loads) {
    for (const Group& group : groups) {
      all.push_back({group.name, load.beside, group.ranks, group.nodes,
                     case_of(group, the_case).key.total_bytes});
    }
    if (groups.size() > 1 && load.every_group) {
      const formats::CaseKey& key = the_case.key;
      all.push_back({std::string(slowest_group), load.beside, {}, key.nodes, key.total_bytes});
    }
  }
  return all;
}

/// `timings` are by load and group, as `make_series` has them.
void add_timings(std::vector<Series>& series, std::vector<std::vector<Timings>> timings) {
  auto next = series.begin();
  for (std::vector<Timings>& groups : timings) {
    std::optional<Timings> slowest;
    const auto after = next + std::ssize(groups);
    if (after != series.end() && after->group == slowest_group) slowest = slowest_of(groups);
    for (Timings& group : groups) (next++)->timings = std::move(group);
    if (slowest) (next++)->timings = std::move(*slowest);
  }
}

/// On rank 0 the timed calls.
std::int64_t count_calls(std::span<const Measured> measured) {
  std::int64_t calls = 0;
  for (const Measured& each : measured) {
    for (const std::vector<Timings>& groups : each.timings) {
      for (const Timings& timings : groups) calls += std::ssize(timings.iterations);
    }
  }
  return calls;
}

/// On rank 0 the longest time of all ranks, elsewhere the own one.
double slowest_us(std::int64_t own_ns, MPI_Comm comm) {
  const double us = static_cast<double>(own_ns) / 1000;
  double longest = us;
  mpi::require(MPI_Reduce(&us, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm), "MPI_Reduce");
  return longest;
}

/// Of whole results, why a run is wrong; empty: it is right, or nobody looks.
std::string fault_of(Prepared& prepared, const GroupComms& comms) {
  if (!prepared.fault_of_run) return "";
  std::string fault;
  {
    const mpi::ScopedSettings armed = prepared.runner.arm();
    fault = prepared.fault_of_run(prepared.runner);
  }
  return first_text(comms.named(std::move(fault)), comms.all());
}

/// Makes a contender ready, if it can run and is right. Writes to the result what became of it.
std::optional<Runner> make_ready(const Contender& contender, const CaseWays& ways,
                                 const GroupComms& comms, AlgorithmResult& result) {
  result.algorithm = contender.label;
  result.series = ways.series;
  result.reason = ways.why_not(contender).value_or("");
  if (!result.reason.empty()) {
    result.status = formats::Status::skipped;
    return std::nullopt;
  }
  const std::int64_t start_ns = mpi::steady_ns();
  Prepared prepared = ways.prepare(contender);
  result.prepare_us = slowest_us(mpi::steady_ns() - start_ns, comms.all());
  result.reason = fault_of(prepared, comms);
  Watchdog::beat();
  result.status = result.reason.empty() ? formats::Status::ok : formats::Status::wrong;
  if (!result.reason.empty()) return std::nullopt;
  return std::move(prepared.runner);
}

/// The algorithms of so many that take turns with each other.
std::vector<std::vector<std::size_t>> turns_of(Order order, std::size_t algorithms) {
  std::vector<std::vector<std::size_t>> together;
  if (order == Order::interleaved) {
    together.emplace_back(algorithms);
    std::iota(together[0].begin(), together[0].end(), std::size_t{0});
  } else {
    for (std::size_t i = 0; i < algorithms; ++i) together.push_back({i});
  }
  return together;
}

void add_measured(AlgorithmResult& result, Measured measured) {
  if (measured.fault.empty()) {
    add_timings(result.series, std::move(measured.timings));
  } else {  // a wrong result is never a timing
    result.status = formats::Status::wrong;
    result.reason = std::move(measured.fault);
  }
}

}  // namespace

CaseResult run_contenders(const Setup& setup, const CaseWays& ways, const Case& the_case,
                          std::uint32_t number, LaunchResources& resources,
                          const GroupComms& comms) {
  const Options& options = setup.options;
  const std::uint64_t seed = options.seed.value();
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      number};
  std::mt19937_64 random(seeds);
  CaseResult result{.algorithms = std::vector<AlgorithmResult>(setup.contenders.size()),
                    .message_us = ways.message_us};
  std::vector<AlgorithmResult>& results = result.algorithms;
  const std::vector<std::vector<std::size_t>> together =
      turns_of(options.order.kind, results.size());
  MeasureSettings settings =
      settings_of(setup, the_case, result.message_us.value_or(0), together.size(), resources.turns);
  settings.buffers = ways.buffers;
  Traffic traffic(setup.conditions.traffic, comms.own());
  settings.traffic = &traffic;
  settings.congestion = &resources.congestion;
  if (resources.counters) settings.counters = &*resources.counters;
  resources.cache_line.begin_case();
  settings.cache_line = &resources.cache_line;
  settings.tell = resources.tell;

  for (const std::vector<std::size_t>& some : together) {
    std::vector<Runner> runners;
    std::vector<std::size_t> running;
    for (const std::size_t i : some) {
      if (auto runner = make_ready(setup.contenders[i], ways, comms, results[i])) {
        runners.push_back(std::move(*runner));
        running.push_back(i);
      }
    }
    if (running.empty()) continue;
    std::vector<Measured> measured =
        measure(runners, settings, ways.checked, random, resources.clock, comms);
    if (resources.counters) {
      result.counted.push_back(
          {running.size() == 1 ? results[running[0]].algorithm : std::string(formats::together),
           resources.counters->gather(count_calls(measured))});
    }
    for (std::size_t k = 0; k < running.size(); ++k) {
      add_measured(results[running[k]], std::move(measured[k]));
    }
  }
  return result;
}

CaseResult run_case(const Setup& setup, const MappedCases& part_of_launch, const Case& case_of_all,
                    std::uint32_t number, LaunchResources& resources, const GroupComms& comms) {
  const Options& options = setup.options;
  const Group& group = part_of_launch.groups[comms.number()];
  const algorithms::Placement& placement = group.placement;
  const Case the_case = case_of(group, case_of_all);
  const mpi::Layout layout = make_layout(the_case);
  const MPI_Comm comm = comms.all();
  const int rank = mpi::rank_of(comms.own());
  const bool is_checked = options.checks(the_case.key.bytes);
  const mpi::Memory memory = choose_memory(options, the_case.key.bytes);
  const LaunchResources::Buffers& buffers = resources.buffers(memory);
  const BufferChoice& choice = setup.conditions.buffers;
  const bool rotates = choice.use == BufferUse::rotate;
  BufferRing ring;
  std::byte* send = buffers.send.data();
  std::byte* receive = buffers.receive.data();
  const collectives::Part part =
      part_of(*options.collective, rank, the_case.key.ranks, placement.root);
  const bool in_place = part.in_place_if(options.in_place);
  if (rotates) {
    const mpi::Element& element = layout.element();
    ring = make_ring(choice.bytes, in_place ? 0 : element.in_memory(layout.bytes(part.initial)),
                     element.in_memory(layout.extent(part.goal)));
    send = buffers.ring.data();
    receive = send + ring.send;
  }
  if (in_place) send = nullptr;
  // Whether results are looked at or not: what is sent is written once at least, or it would be the
  // kernel's one page of zeros. Folded bytes nobody ever reads.
  std::optional<CheckedBuffers> checked;
  if (memory == mpi::Memory::own) {
    checked.emplace(*options.collective, rank, the_case.key.ranks, layout, send, receive,
                    placement.root, options.combined_by);
  }
  CheckedBuffers* const contents = checked ? &*checked : nullptr;
  CallBuffers calls = rotates ? CallBuffers(ring, send, receive, contents)
                              : CallBuffers(choice, send, receive, contents, resources.other);
  CaseWays ways{.series = make_series(setup.conditions.loads, part_of_launch.groups, case_of_all),
                .buffers = &calls,
                .checked = options.validation ? contents : nullptr};
  if (setup.conditions.message_time) {
    ways.message_us = resources.message_us(the_case.key.bytes, comm);
  }
  ways.why_not = [&](const Contender& contender) {
    return why_not(contender, part_of_launch.groups, case_of_all);
  };
  ways.prepare = [&](const Contender& contender) {
    Prepared prepared{prepare(
        contender, {.collective = *options.collective,
                    .layout = layout,
                    .placement = placement,
                    .noncontiguous = options.noncontiguous,
                    .buffers = {calls.send(), calls.receive(), memory, resources.node_memory()},
                    .reduction = resources.reduction(),
                    .charge_schedule = options.charge_schedule,
                    .rotates = rotates,
                    .prediction = {ways.message_us.value_or(0), &resources.clock},
                    .predictor = options.prediction.from,
                    .model = resources.contention_model(contender, placement, comm)})};
    if (is_checked) {
      prepared.fault_of_run = [contents](Runner& runner) {
        contents->renew();
        runner.run();
        return contents->fault();
      };
    }
    return prepared;
  };
  return run_contenders(setup, ways, the_case, number, resources, comms);
}

}  // namespace gatherbench::bench
