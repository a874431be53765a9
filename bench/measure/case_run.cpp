// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/case_run.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "bench/host/watchdog.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/measure.h"
#include "bench/measure/prepare.h"
#include "bench/plan/memory.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

/// A case as one of its groups has it.
struct GroupCase {
  Case own;
  mpi::Layout layout;
};

std::vector<GroupCase> make_group_cases(std::span<const Group> groups, const Case& of_all) {
  std::vector<GroupCase> cases;
  for (const Group& group : groups) {
    Case own = case_of(group, of_all);
    mpi::Layout layout = make_layout(own);
    cases.push_back({std::move(own), std::move(layout)});
  }
  return cases;
}

/// Makes the series of each group under each load, and behind a load's groups that of the slowest
/// one where they run together.
std::vector<Series> make_series(std::span<const Load> loads, std::span<const Group> groups,
                                std::span<const GroupCase> cases, const Case& of_all) {
  std::vector<Series> all;
  for (const Load& load : loads) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      all.push_back({groups[i].name, load.beside, groups[i].ranks, groups[i].nodes,
                     cases[i].own.key.total_bytes});
    }
    if (groups.size() > 1 && load.every_group) {
      const formats::CaseKey& key = of_all.key;
      all.push_back({std::string(slowest_group), load.beside, {}, key.nodes, key.total_bytes});
    }
  }
  return all;
}

/// Adds the timings to the series, those of a slowest group too. `timings` are by load and group,
/// in the order of `make_series`.
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

/// Returns on rank 0 the longest time of all ranks, elsewhere the own one.
double slowest_us(std::int64_t own_ns, MPI_Comm comm) {
  const double us = static_cast<double>(own_ns) / 1000;
  double longest = us;
  mpi::require(MPI_Reduce(&us, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm), "MPI_Reduce");
  return longest;
}

/// Makes a contender ready, if it can run and is right; else returns null. Writes to the result
/// what became of it.
std::unique_ptr<PreparedCall> make_ready(const Contender& contender, CaseKind& kind,
                                         const GroupComms& comms, AlgorithmResult& result) {
  result.algorithm = contender.label;
  result.series = kind.series();
  result.reason = kind.why_not(contender).value_or("");
  if (!result.reason.empty()) {
    result.status = formats::Status::skipped;
    return nullptr;
  }
  const std::int64_t start_ns = mpi::steady_ns();
  std::unique_ptr<PreparedCall> call = kind.prepare(contender);
  result.prepare_us = slowest_us(mpi::steady_ns() - start_ns, comms.all());
  if (std::optional<std::string> fault = kind.check(*call)) {
    result.reason = first_text(comms.named(std::move(*fault)), comms.all());
  }
  Watchdog::beat();
  result.status = result.reason.empty() ? formats::Status::ok : formats::Status::wrong;
  if (!result.reason.empty()) return nullptr;
  return call;
}

/// Returns the numbers of the algorithms that take turns with each other: of all, or of each alone.
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

/// One all-gather, or another collective, among the ranks of each group.
class Gathering final : public CaseKind {
 public:
  Gathering(const Setup& setup, const MappedCases& part, const Case& of_all,
            LaunchResources& resources, const GroupComms& comms)
      : setup_(&setup),
        groups_(part.groups),
        resources_(&resources),
        comm_(comms.all()),
        group_(&part.groups[comms.number()]),
        cases_(make_group_cases(groups_, of_all)),
        series_(make_series(setup.loads, groups_, cases_, of_all)),
        layout_(&cases_[comms.number()].layout),
        memory_(choose_memory(setup.options, of_all.key.bytes)),
        is_checked_(setup.options.checks(of_all.key.bytes)) {
    make_buffers(mpi::rank_of(comms.own()));
    if (setup.message_time) {
      message_us_ = resources.message_us(of_all.key.bytes, comm_);
    }
  }

  [[nodiscard]] const std::vector<Series>& series() const override { return series_; }
  [[nodiscard]] std::optional<std::string> why_not(const Contender& contender) const override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const auto& [own, layout] = cases_[i];
      auto why = bench::why_not(contender, own, layout, groups_[i].placement);
      if (why) return why;
    }
    return std::nullopt;
  }
  std::unique_ptr<PreparedCall> prepare(const Contender& contender) override {
    return bench::prepare(
        contender,
        {.launch = *setup_,
         .layout = *layout_,
         .placement = group_->placement,
         .buffers = {calls_->send(), calls_->receive(), memory_, resources_->node_memory()},
         .reduction = resources_->reduction(),
         .message_us = mean_message_us(contender.choice),
         .clock = &resources_->clock,
         .model = resources_->contention_model(contender, group_->placement, comm_)});
  }
  std::optional<std::string> check(PreparedCall& call) override {
    if (!is_checked_) return std::nullopt;
    const mpi::ScopedSettings armed = call.arm();
    contents_->renew();
    call.run();
    return contents_->fault();
  }
  [[nodiscard]] CallBuffers* buffers() override { return &*calls_; }
  [[nodiscard]] CheckedBuffers* checked() override {
    return setup_->options.validation && contents_ ? &*contents_ : nullptr;
  }
  [[nodiscard]] std::optional<double> message_us() const override { return message_us_; }

 private:
  /// Returns the time of a message of the blocks' mean size, if the algorithm goes by it; 0 if the
  /// groups' blocks differ, since each group has its own time then. Collective over all groups.
  double mean_message_us(const algorithms::Choice& choice) {
    if (!setup_->message_time || !algorithms::needs_message_time(choice)) return 0;
    const std::int64_t mean = layout_->mean_bytes();
    const bool differ = std::ranges::any_of(
        cases_, [&](const GroupCase& each) { return each.layout.mean_bytes() != mean; });
    return differ ? 0 : resources_->message_us(mean, comm_);
  }

  void make_buffers(int rank) {
    const Options& options = setup_->options;
    const BufferChoice& choice = setup_->buffers;
    const LaunchResources::Buffers& buffers = resources_->buffers(memory_);
    const bool rotates = choice.use == BufferUse::rotate;
    BufferRing ring;
    std::byte* send = buffers.send.data();
    std::byte* receive = buffers.receive.data();
    const int root = group_->placement.root;
    const collectives::Part part = part_of(*options.collective, rank, group_->size(), root);
    const bool in_place = part.in_place_if(options.in_place);
    if (rotates) {
      const mpi::Element& element = layout_->element();
      ring = make_ring(choice.bytes, in_place ? 0 : element.in_memory(layout_->bytes(part.initial)),
                       element.in_memory(layout_->extent(part.goal)));
      send = buffers.ring.data();
      receive = send + ring.send;
    }
    if (in_place) send = nullptr;
    // Even if nobody looks at results, what is sent is written once, or it would be the kernel's
    // one page of zeros. Folded bytes nobody ever reads.
    if (memory_ != mpi::Memory::folded) {
      contents_.emplace(*options.collective, rank, group_->size(), *layout_, send, receive, root,
                        options.combined_by, memory_);
    }
    CheckedBuffers* const contents = contents_ ? &*contents_ : nullptr;
    if (rotates) {
      calls_.emplace(ring, send, receive, contents);
    } else {
      calls_.emplace(choice, send, receive, contents, resources_->other);
    }
  }

  const Setup* setup_;
  std::span<const Group> groups_;
  LaunchResources* resources_;
  MPI_Comm comm_;
  const Group* group_;            // the own one
  std::vector<GroupCase> cases_;  // by group
  std::vector<Series> series_;
  const mpi::Layout* layout_;  // of the own group
  mpi::Memory memory_;
  bool is_checked_;
  std::optional<CheckedBuffers> contents_;  // none of folded memory
  std::optional<CallBuffers> calls_;
  std::optional<double> message_us_;
};

}  // namespace

CaseResult run_contenders(const Setup& setup, CaseKind& kind, const Case& the_case,
                          std::uint32_t number, LaunchResources& resources,
                          const GroupComms& comms) {
  const Options& options = setup.options;
  const std::uint64_t seed = options.seed.value();
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      number};
  std::mt19937_64 random(seeds);
  CaseResult result{.algorithms = std::vector<AlgorithmResult>(setup.contenders.size()),
                    .message_us = kind.message_us()};
  std::vector<AlgorithmResult>& results = result.algorithms;
  const std::vector<std::vector<std::size_t>> together =
      turns_of(options.order.kind, results.size());
  const CaseSettings settings{
      .launch = setup, .the_case = the_case, .message_us = result.message_us.value_or(0)};
  Traffic traffic(setup.traffic, comms.own());
  resources.cache_line.begin_case();
  const MeasureResources with{.turns = &resources.turns,
                              .buffers = kind.buffers(),
                              .checked = kind.checked(),
                              .traffic = &traffic,
                              .congestion = &resources.congestion,
                              .counters = resources.counters ? &*resources.counters : nullptr,
                              .cache_line = &resources.cache_line,
                              .tell = resources.tell};

  for (const std::vector<std::size_t>& some : together) {
    std::vector<std::unique_ptr<PreparedCall>> calls;
    std::vector<std::size_t> running;
    for (const std::size_t i : some) {
      if (auto call = make_ready(setup.contenders[i], kind, comms, results[i])) {
        calls.push_back(std::move(call));
        running.push_back(i);
      }
    }
    if (running.empty()) continue;
    std::vector<Measured> measured = measure(calls, settings, with, random, resources.clock, comms);
    if (resources.counters) {
      result.counted.push_back(
          {running.size() == 1 ? results[running[0]].algorithm : std::string(formats::together),
           resources.counters->gather()});
    }
    for (std::size_t k = 0; k < running.size(); ++k) {
      add_measured(results[running[k]], std::move(measured[k]));
    }
  }
  return result;
}

CaseResult run_case(const Setup& setup, const MappedCases& part, const Case& the_case,
                    std::uint32_t number, LaunchResources& resources, const GroupComms& comms) {
  Gathering kind(setup, part, the_case, resources, comms);
  return run_contenders(setup, kind, the_case, number, resources, comms);
}

}  // namespace gatherbench::bench
