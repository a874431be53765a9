// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepare.h"

#include <utility>
#include <vector>

namespace gatherbench::bench {

Runner prepare(const Contender& contender, const CaseSetup& setup) {
  const mpi::Layout& layout = setup.layout;
  const auto [send, receive, memory] = setup.buffers;
  const algorithms::Algorithm& algorithm = *contender.choice.algorithm;
  const MPI_Comm comm = contender.comm.get();
  if (contender.is_library_call()) {
    return Runner(NativeCall(setup.collective, contender.choice, layout, send, receive, comm));
  }
  const algorithms::MessageForm form = form_of(contender.choice, setup.noncontiguous);
  if (algorithm.uses_arrivals) {
    return Runner(mpi::ArrivalAware(contender.choice, layout, send, receive, comm,
                                    {setup.prediction.message_us, setup.prediction.clock, form}));
  }
  const std::vector<std::int64_t> block_bytes = layout.block_bytes();
  const algorithms::Problem problem = make_problem(contender, setup.placement, block_bytes);
  mpi::LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout,
                               part_of(setup.collective, problem.rank, problem.ranks),
                               send == nullptr, form);
  mpi::Plan plan(lowered, send, receive, comm, memory);
  if (setup.rotates) return {std::move(plan), std::move(lowered)};
  return Runner(std::move(plan));
}

}  // namespace gatherbench::bench
