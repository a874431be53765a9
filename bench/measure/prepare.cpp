// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepare.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/arrival_aware/portfolio.h"
#include "algorithms/cost/exit_times.h"
#include "bench/measure/adaptive.h"
#include "bench/measure/known_arrivals.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/message_time.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

/// Null by messages.
std::shared_ptr<mpi::NodeWindow> window_for(algorithms::Via via, const CaseSetup& setup,
                                            MPI_Comm comm) {
  const bool shares = setup.window != nullptr && via != algorithms::Via::messages;
  return shares ? setup.window
                : mpi::make_window(via, comm, setup.placement.node, setup.buffers.shared);
}

std::unique_ptr<PreparedCall> prepare_adaptive(const algorithms::Choice& choice,
                                               const CaseSetup& setup, MPI_Comm comm) {
  const std::vector<std::int64_t> block_bytes = setup.layout.block_bytes();
  const std::string_view policy = policy_of(choice);
  selection::Candidates candidates = selection::find_candidates(
      {.bounded = policies::kind_of(policy).is_bounded, .model = setup.model}, setup.placement,
      block_bytes, comm);
  std::unique_ptr<policies::Policy> made =
      policies::make_policy(policy, candidates.expected, policies::default_budget_permille);
  const bool all_wait = std::ranges::find(block_bytes, std::int64_t{0}) == block_bytes.end();
  return std::make_unique<Adaptive>(
      std::move(candidates), std::move(made),
      [own = CaseSetup(setup), comm](const algorithms::Choice& one) mutable {
        if (!own.window) {
          own.window = mpi::make_window(one.via, comm, own.placement.node, own.buffers.shared);
        }
        return prepare(one, own, comm);
      },
      Adaptive::Ranks{comm, setup.prediction.clock, all_wait});
}

/// Of a whole vector, with its combination. Collective.
double message_and_combine_us(const algorithms::Choice& choice, const CaseSetup& setup,
                              MPI_Comm comm) {
  if (mpi::size_of(comm) == 1 || !algorithms::needs_message_time(choice)) return 0;
  return setup.prediction.message_us +
         mpi::measure_combine_us(setup.reduction, setup.layout.total(), comm);
}

/// By what messages take, also those of several blocks: from a size on the library may send them in
/// another way. Times that the user gives hold in proportion. Collective.
algorithms::ExitTimes measure_exit_times(const algorithms::Choice& choice,
                                         const mpi::Layout& layout, MPI_Comm comm) {
  if (!algorithms::needs_message_time(choice) || !algorithms::needs_start_time(choice)) {
    return cost::exit_times_of_messages();
  }
  const std::int64_t block = (layout.total() + layout.blocks() - 1) / layout.blocks();
  std::vector<cost::MessageTime> longer;
  for (const int blocks : algorithms::longer_messages(*choice.algorithm, layout.blocks())) {
    if (block == 0) break;
    longer.push_back({blocks * block, mpi::measure_message_us(blocks * block, comm)});
  }
  return cost::exit_times_of_messages(std::move(longer));
}

std::unique_ptr<PreparedCall> prepare_known_arrivals(const algorithms::Choice& choice,
                                                     const CaseSetup& setup, collectives::Part part,
                                                     MPI_Comm comm) {
  const auto [send, receive, memory, shared] = setup.buffers;
  const double message_us = message_and_combine_us(choice, setup, comm);
  double start_us = 0;
  if (mpi::size_of(comm) > 1 && algorithms::needs_start_time(choice)) {
    start_us = mpi::measure_message_us(1, comm);
  }
  return std::make_unique<KnownArrivals>(
      KnownArrivalsTask{choice, setup.placement, setup.layout, std::move(part), send, receive,
                        memory, shared, form_of(choice, setup.noncontiguous), setup.reduction,
                        message_us, start_us, setup.charge_schedule},
      comm);
}

}  // namespace

std::unique_ptr<PreparedCall> prepare(const algorithms::Choice& choice, const CaseSetup& setup,
                                      MPI_Comm comm) {
  const mpi::Layout& layout = setup.layout;
  const auto [send, receive, memory, shared] = setup.buffers;
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  if (algorithm.selects) return prepare_adaptive(choice, setup, comm);
  if (algorithm.library_call != algorithms::LibraryCall::none) {
    return call_of(NativeCall(setup.collective, choice, layout, send, receive, comm,
                              setup.placement.root, setup.reduction));
  }
  if (algorithm.redirects) {
    return call_of(mpi::LocalRedirect(setup.reduction, layout.total(), send, receive, comm,
                                      setup.placement.root, memory));
  }
  const algorithms::MessageForm form = form_of(choice, setup.noncontiguous);
  if (has_helper_thread(algorithm, setup.predictor)) {
    const bool combines = setup.collective.combines;
    return call_of(
        mpi::ArrivalAware(choice, layout, send, receive, comm,
                          {.message_us = combines ? message_and_combine_us(choice, setup, comm)
                                                  : setup.prediction.message_us,
                           .clock = setup.prediction.clock,
                           .form = form,
                           .exits_us = measure_exit_times(choice, layout, comm),
                           .root = setup.placement.root,
                           .reduction = setup.reduction}));
  }
  const BlockBytes block_bytes(layout);
  const algorithms::Problem problem =
      make_problem(choice, setup.placement, block_bytes, mpi::rank_of(comm), mpi::size_of(comm));
  collectives::Part part = part_of(setup.collective, problem.rank, problem.ranks, problem.root);
  part.in_order = !setup.placement.commutes;
  if (algorithm.uses_arrivals) return prepare_known_arrivals(choice, setup, std::move(part), comm);
  mpi::LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout, part,
                               send == nullptr, form);
  mpi::Plan plan(lowered, send, receive, comm, memory, setup.reduction,
                 window_for(choice.via, setup, comm));
  if (setup.rotates) return call_of(std::move(plan), std::move(lowered));
  return call_of(std::move(plan));
}

std::unique_ptr<PreparedCall> prepare(const Contender& contender, const CaseSetup& setup) {
  return prepare(contender.choice, setup, contender.comm.get());
}

}  // namespace gatherbench::bench
