// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepare.h"

#include <vector>

#include "bench/native/selection.h"

namespace gatherbench::bench {

Runner prepare(const Contender& contender, const CaseSetup& setup) {
  const mpi::Layout& layout = setup.layout;
  const auto [send, receive, memory] = setup.buffers;
  const algorithms::Algorithm& algorithm = *contender.choice.algorithm;
  const MPI_Comm comm = contender.comm.get();
  if (algorithm.library_call == algorithms::LibraryCall::gather_bcast) {
    return Runner(GatherBcastCall(setup.collective, layout, send, receive, comm));
  }
  if (contender.is_library_call()) {
    return Runner(NativeCall(setup.collective, layout, send, receive, comm,
                             find_native_settings(setup.collective, contender.choice)));
  }
  if (algorithm.uses_arrivals) {
    return Runner(mpi::ArrivalAware(
        contender.choice, layout, send, receive, comm,
        {setup.prediction.message_us, setup.prediction.clock, setup.noncontiguous}));
  }
  const std::vector<std::int64_t> block_bytes = layout.block_bytes();
  algorithms::Problem problem = make_problem(contender.choice, setup.placement, block_bytes);
  problem.rank = contender.comm.rank();
  const mpi::LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout,
                                     setup.collective.initial(problem.rank, problem.ranks),
                                     send == nullptr, setup.noncontiguous);
  return Runner(mpi::Plan(lowered, send, receive, comm, memory));
}

}  // namespace gatherbench::bench
