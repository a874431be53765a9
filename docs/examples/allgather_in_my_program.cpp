// SPDX-License-Identifier: BSD-3-Clause
//
// A program of one's own that gathers with an algorithm of gatherbench's: proves its schedule for
// the ranks at hand, runs it, and compares with MPI_Allgather's result.
// docs/how-to/library.md explains.
//
//     allgather_in_my_program ALGORITHM    such as sparbit, bruck:k=4, ring:via=window
#include <fmt/format.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/proof/proof.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/window/node_window.h"

namespace {

namespace algorithms = gatherbench::algorithms;
namespace collectives = gatherbench::collectives;
namespace mpi = gatherbench::mpi;
using gatherbench::text::bad_value;
using gatherbench::text::InputError;

constexpr std::string_view option = "ALGORITHM";
constexpr std::size_t count = 1000;  // of doubles that each rank contributes

algorithms::Choice parse(std::string_view name, int ranks) {
  const auto parsed = algorithms::parse_algorithms(option, name, collectives::allgather);
  if (parsed.size() != 1 || parsed.front().algorithm->schedules() == nullptr) {
    throw bad_value(option, name, "is not one algorithm of gatherbench's own");
  }
  algorithms::require_parameter(option, parsed.front(), ranks);
  return parsed.front();
}

/// The schedule of this rank, proven together with those of all others.
algorithms::Schedule make_schedule(const algorithms::Choice& choice,
                                   const algorithms::Problem& problem) {
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  if (const auto reason = why_not(algorithm, problem)) {
    throw bad_value(option, choice.label(), *reason);
  }
  if (const auto proof = gatherbench::proof::prove(algorithm, problem); !proof.fault.empty()) {
    throw bad_value(option, choice.label(), proof.fault);
  }
  return algorithms::make_schedule(algorithm, problem);
}

/// Whether it gathers what MPI_Allgather does.
bool run(std::string_view name) {
  const auto comm = mpi::Communicator::duplicate(MPI_COMM_WORLD);  // the plan has it for itself
  const int ranks = comm.size();
  const std::vector<double> own(count, comm.rank());
  std::vector<double> all(count * static_cast<std::size_t>(ranks));
  const std::vector<std::int64_t> block_bytes(static_cast<std::size_t>(ranks),
                                              sizeof(double) * count);

  // The ranks as on one node; `problem.node` tells leader and lane of others.
  const algorithms::Choice choice = parse(name, ranks);
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = comm.rank();
  problem.block_bytes = block_bytes;

  // Once for these buffers and this communicator, then as often as one likes.
  const mpi::LoweredSchedule lowered(
      make_schedule(choice, problem), mpi::Layout(block_bytes),
      collectives::part_of(collectives::allgather, problem.rank, ranks), false,
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined));
  mpi::Plan plan(lowered, std::as_bytes(std::span(own)).data(),
                 std::as_writable_bytes(std::span(all)).data(), comm.get(), mpi::Memory::own, {},
                 mpi::make_window(choice.via, comm.get(), problem.node));
  plan.run();

  std::vector<double> expected(all.size());
  MPI_Allgather(own.data(), count, MPI_DOUBLE, expected.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
  const int right = all == expected ? 1 : 0;
  int all_right = 0;
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (problem.rank == 0) {
    fmt::print("{} on {} ranks: proven; steps: {}; {}\n", choice.label(), ranks, lowered.steps(),
               all_right == 1 ? "all as MPI_Allgather's" : "WRONG");
  }
  return all_right == 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int exit_code = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    // Its plan is gone before MPI_Finalize.
    exit_code = run(argc > 1 ? argv[1] : "sparbit") ? 0 : 1;
  } catch (const InputError& error) {  // the same on every rank
    if (rank == 0) fmt::print(stderr, "allgather_in_my_program: {}\n", error.what());
    exit_code = 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "allgather_in_my_program: rank {}: {}\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_code;
}
