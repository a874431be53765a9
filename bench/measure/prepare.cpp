// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepare.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/arrival_aware/portfolio.h"
#include "algorithms/cost/exit_times.h"
#include "bench/measure/adaptive.h"
#include "bench/measure/known_arrivals.h"
#include "bench/measure/staged_call.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/message_time.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/agreement.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

/// Returns the case's window, or a new one if the case has none; null if transfers go by messages.
std::shared_ptr<mpi::NodeWindow> window_for(algorithms::Via via, const CaseOnRank& own,
                                            MPI_Comm comm) {
  const bool shares = own.window != nullptr && via != algorithms::Via::messages;
  return shares ? own.window : mpi::make_window(via, comm, own.placement.node, own.buffers.shared);
}

std::unique_ptr<PreparedCall> prepare_adaptive(const algorithms::Choice& choice,
                                               const CaseOnRank& own, MPI_Comm comm) {
  const collectives::Collective& collective = *own.launch.options.collective;
  const selection::Task task(collective, own.placement, mpi::size_of(comm), own.layout);
  const std::string_view policy = policy_of(choice);
  const policies::PolicyKind& kind = policies::kind_of(policy);
  selection::Candidates candidates =
      selection::find_candidates({.bounded = kind.is_bounded, .model = own.model}, task, comm);
  std::unique_ptr<policies::Policy> made =
      policies::make_policy(policy, candidates.expected, policies::default_budget_permille);
  const Adaptive::Ranks ranks{comm, own.clock,
                              selection::do_all_wait(collective, task.block_bytes()),
                              selection::is_of_slowest(kind, collective)};
  return std::make_unique<Adaptive>(
      std::move(candidates), std::move(made),
      [now = CaseOnRank(own), comm](const algorithms::Choice& one) mutable {
        if (!now.window) {
          now.window = mpi::make_window(one.via, comm, now.placement.node, now.buffers.shared);
        }
        return prepare(one, now, comm);
      },
      ranks);
}

/// Returns the time of a message of a whole vector with its combination, which is measured here; 0
/// if nothing needs it. In microseconds. Collective.
double message_and_combine_us(const algorithms::Choice& choice, const CaseOnRank& own,
                              MPI_Comm comm) {
  if (mpi::size_of(comm) == 1 || !algorithms::needs_message_time(choice)) return 0;
  return own.message_us + mpi::measure_combine_us(own.reduction, own.layout.total(), comm);
}

/// Makes exit times from what messages take, also those of several blocks: from a size on the
/// library may send them in another way. Times that the user gives hold in proportion. Collective.
algorithms::ExitTimes measure_exit_times(const algorithms::Choice& choice,
                                         const mpi::Layout& layout, MPI_Comm comm) {
  if (!algorithms::needs_message_time(choice) || !algorithms::needs_start_time(choice)) {
    return cost::exit_times_of_messages();
  }
  const std::int64_t block = layout.mean_bytes();
  std::vector<cost::MessageTime> longer;
  for (const int blocks : algorithms::longer_messages(*choice.algorithm, layout.blocks())) {
    if (block == 0) break;
    longer.push_back({blocks * block, mpi::measure_message_us(blocks * block, comm)});
  }
  return cost::exit_times_of_messages(std::move(longer));
}

std::unique_ptr<PreparedCall> prepare_known_arrivals(const algorithms::Choice& choice,
                                                     const CaseOnRank& own, collectives::Part part,
                                                     MPI_Comm comm) {
  const auto [send, receive, memory, shared] = own.buffers;
  const double message_us = message_and_combine_us(choice, own, comm);
  double start_us = 0;
  if (mpi::size_of(comm) > 1 && algorithms::needs_start_time(choice)) {
    start_us = mpi::measure_message_us(1, comm);
  }
  return std::make_unique<KnownArrivals>(
      KnownArrivalsTask{choice, own.placement, own.layout, std::move(part), send, receive, memory,
                        shared, form_of(choice, own.launch.options.noncontiguous), own.reduction,
                        message_us, start_us, own.launch.options.charge_schedule},
      comm);
}

/// Prepares a choice, by how it runs.
struct Prepare {
  const algorithms::Choice& choice;
  const CaseOnRank& own;
  MPI_Comm comm;

  std::unique_ptr<PreparedCall> operator()(const algorithms::Schedules& /*kind*/) const {
    const auto [send, receive, memory, shared] = own.buffers;
    const BlockBytes block_bytes(own.layout);
    const algorithms::Problem problem =
        make_problem(choice, own.placement, block_bytes, mpi::rank_of(comm), mpi::size_of(comm));
    mpi::LoweredSchedule lowered(algorithms::make_schedule(*choice.algorithm, problem), own.layout,
                                 part(), send == nullptr, form());
    mpi::Plan plan(lowered, send, receive, comm, memory, own.reduction,
                   window_for(choice.via, own, comm));
    if (own.launch.buffers.use == BufferUse::rotate) {
      return call_of(std::move(plan), std::move(lowered));
    }
    return call_of(std::move(plan));
  }
  std::unique_ptr<PreparedCall> operator()(const algorithms::FromFile& kind) const {
    return (*this)(kind.schedules);
  }
  std::unique_ptr<PreparedCall> operator()(const algorithms::ByArrivals& /*kind*/) const {
    if (!has_helper_thread(*choice.algorithm, own.launch.options.prediction.from)) {
      return prepare_known_arrivals(choice, own, part(), comm);
    }
    const double message_us = own.launch.options.collective->combines
                                  ? message_and_combine_us(choice, own, comm)
                                  : own.message_us;
    return call_of(mpi::ArrivalAware(choice, own.layout, own.buffers.send, own.buffers.receive,
                                     comm,
                                     {.message_us = message_us,
                                      .clock = own.clock,
                                      .form = form(),
                                      .exits_us = measure_exit_times(choice, own.layout, comm),
                                      .root = own.placement.root,
                                      .reduction = own.reduction}));
  }
  std::unique_ptr<PreparedCall> operator()(algorithms::LibraryCall /*call*/) const {
    return call_of(NativeCall(*own.launch.options.collective, choice, own.layout, own.buffers.send,
                              own.buffers.receive, comm, own.placement.root, own.reduction));
  }
  std::unique_ptr<PreparedCall> operator()(const algorithms::Selects& /*kind*/) const {
    return prepare_adaptive(choice, own, comm);
  }
  std::unique_ptr<PreparedCall> operator()(const algorithms::Redirects& /*kind*/) const {
    return call_of(mpi::LocalRedirect(own.reduction, own.layout.total(), own.buffers.send,
                                      own.buffers.receive, comm, own.placement.root,
                                      own.buffers.memory));
  }

  [[nodiscard]] algorithms::MessageForm form() const {
    return form_of(choice, own.launch.options.noncontiguous);
  }
  [[nodiscard]] collectives::Part part() const {
    collectives::Part part = part_of(*own.launch.options.collective, mpi::rank_of(comm),
                                     mpi::size_of(comm), own.placement.root);
    part.in_order = !own.placement.commutes;
    return part;
  }
};

/// Prepares the choice on copies of the buffers in the host's memory.
std::unique_ptr<PreparedCall> prepare_staged(const Prepare& in_device) {
  const auto& [choice, own, comm] = in_device;
  std::vector<StagedPiece> pieces;
  for (std::int64_t number = 0; number < choice.stage.pieces; ++number) {
    HostStage stage(own.layout, in_device.part(), own.buffers.send, own.buffers.receive,
                    {number, choice.stage.pieces, own.placement.element_bytes});
    const CaseOnRank on_host{.launch = own.launch,
                             .layout = stage.layout(),
                             .placement = own.placement,
                             .buffers = {stage.send(), stage.receive()},
                             .reduction = own.reduction,
                             .message_us = own.message_us,
                             .clock = own.clock,
                             .model = own.model,
                             .window = own.window};
    pieces.push_back({prepare(choice.unstaged(), on_host, comm), std::move(stage)});
  }
  return staged(std::move(pieces));
}

}  // namespace

std::unique_ptr<PreparedCall> prepare(const algorithms::Choice& choice, const CaseOnRank& own,
                                      MPI_Comm comm) {
  const Prepare prepare{choice, own, comm};
  if (choice.stage.on_host) return prepare_staged(prepare);
  return std::visit(prepare, choice.algorithm->how);
}

std::unique_ptr<PreparedCall> prepare(const Contender& contender, const CaseOnRank& own) {
  return prepare(contender.choice, own, contender.comm.get());
}

}  // namespace gatherbench::bench
