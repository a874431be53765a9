// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/prepared.h"

#include <utility>

#include "algorithms/collectives/collective.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::star {
namespace {

mpi::LoweredSchedule lower(const algorithms::Choice& choice, const algorithms::Placement& placement,
                           std::span<const std::int64_t> block_bytes, int rank) {
  const auto ranks = static_cast<int>(block_bytes.size());
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.rank = rank;
  problem.block_bytes = block_bytes;
  return {algorithms::make_schedule(*choice.algorithm, problem), mpi::Layout(block_bytes),
          collectives::part_of(collectives::allgather, rank, ranks), true,
          algorithms::form_of(choice, algorithms::Noncontiguous::pipelined)};
}

}  // namespace

Prepared::Prepared(const algorithms::Choice& choice, const algorithms::Placement& placement,
                   std::vector<std::int64_t> block_bytes, int rank, MPI_Comm comm, std::byte* data)
    : block_bytes_(std::move(block_bytes)),
      lowered_(lower(choice, placement, block_bytes_, rank)),
      bound_(data),
      plan_(lowered_, nullptr, data, comm, mpi::Memory::own, {},
            mpi::make_window(choice.via, comm, placement.node)) {}

void Prepared::run(std::byte* data) {
  if (data != bound_) plan_.bind(lowered_, nullptr, data);
  bound_ = data;
  plan_.run();
}

}  // namespace gatherbench::star
