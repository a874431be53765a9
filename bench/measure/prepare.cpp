// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepare.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/exit_times.h"
#include "bench/measure/adaptive.h"
#include "mpi/handles.h"
#include "selection/candidates.h"
#include "tuning/policy.h"

namespace gatherbench::bench {
namespace {

Runner prepare(const algorithms::Choice& choice, const CaseSetup& setup, MPI_Comm comm);

Runner prepare_adaptive(const algorithms::Choice& choice, const CaseSetup& setup, MPI_Comm comm) {
  const std::vector<std::int64_t> block_bytes = setup.layout.block_bytes();
  const std::string_view policy = policy_of(choice);
  selection::Candidates candidates = selection::find_candidates(
      {.bounded = tuning::kind_of(policy).is_bounded, .model = setup.model}, setup.placement,
      block_bytes, comm);
  std::unique_ptr<tuning::Policy> made =
      tuning::make_policy(policy, candidates.expected, tuning::default_budget_permille);
  const bool all_wait = std::ranges::find(block_bytes, std::int64_t{0}) == block_bytes.end();
  return Runner(std::make_unique<Adaptive>(
      std::move(candidates), std::move(made),
      [setup, comm](const algorithms::Choice& one) { return prepare(one, setup, comm); },
      Adaptive::Ranks{comm, setup.prediction.clock, all_wait}));
}

Runner prepare(const algorithms::Choice& choice, const CaseSetup& setup, MPI_Comm comm) {
  const mpi::Layout& layout = setup.layout;
  const auto [send, receive, memory] = setup.buffers;
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  if (algorithm.selects) return prepare_adaptive(choice, setup, comm);
  if (algorithm.library_call != algorithms::LibraryCall::none) {
    return Runner(
        NativeCall(setup.collective, choice, layout, send, receive, comm, setup.placement.root));
  }
  const algorithms::MessageForm form = form_of(choice, setup.noncontiguous);
  if (algorithm.uses_arrivals) {
    return Runner(mpi::ArrivalAware(choice, layout, send, receive, comm,
                                    {setup.prediction.message_us, setup.prediction.clock, form,
                                     analysis::exit_times_of_messages()}));
  }
  const std::vector<std::int64_t> block_bytes = layout.block_bytes();
  const algorithms::Problem problem =
      make_problem(choice, setup.placement, block_bytes, mpi::rank_of(comm), mpi::size_of(comm));
  mpi::LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout,
                               part_of(setup.collective, problem.rank, problem.ranks, problem.root),
                               send == nullptr, form);
  mpi::Plan plan(lowered, send, receive, comm, memory);
  if (setup.rotates) return {std::move(plan), std::move(lowered)};
  return Runner(std::move(plan));
}

}  // namespace

Runner prepare(const Contender& contender, const CaseSetup& setup) {
  return prepare(contender.choice, setup, contender.comm.get());
}

}  // namespace gatherbench::bench
