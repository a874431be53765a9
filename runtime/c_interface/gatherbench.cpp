// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/c_interface/gatherbench.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/problem.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"

namespace algorithms = gatherbench::algorithms;
namespace collectives = gatherbench::collectives;
namespace mpi = gatherbench::mpi;
namespace text = gatherbench::text;

struct gatherbench_plan {
  mpi::Communicator comm;
  mpi::Plan plan;
  bool under_way = false;
};

namespace {

thread_local std::string last_error;

/// Thrown when a plan that has been started is asked for what it can do at rest only.
struct UnderWay {};

int failed(const char* why, int code) {
  try {
    last_error = why;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return code;
}

/// Calls `what`. Returns MPI_SUCCESS or, since C knows no exceptions, the error code of what it
/// throws.
template <typename Do>
int guarded(Do what) {
  try {
    what();
    return MPI_SUCCESS;
  } catch (const text::InputError& error) {
    return failed(error.what(), MPI_ERR_ARG);
  } catch (const mpi::MpiError& error) {
    return failed(error.what(), error.code());
  } catch (const UnderWay&) {
    return failed("plan: is under way; legal: after gatherbench_wait", MPI_ERR_REQUEST);
  } catch (const std::bad_alloc&) {
    return failed("out of memory", MPI_ERR_NO_MEM);
  } catch (const std::exception& error) {
    return failed(error.what(), MPI_ERR_OTHER);
  }
}

void require_argument(bool is_legal, const char* name, const char* why) {
  if (!is_legal) throw text::InputError(std::string(name) + ": " + why);
}

gatherbench_plan& made(gatherbench_plan* plan) {
  require_argument(plan != nullptr, "plan", "is null; legal: one that was made and is not freed");
  return *plan;
}

gatherbench_plan& at_rest(gatherbench_plan* plan) {
  if (made(plan).under_way) throw UnderWay();
  return *plan;
}

/// Returns the algorithm of that name. Throws InputError unless it has a schedule of ours.
algorithms::Choice choose(const char* name) {
  constexpr const char* argument = "algorithm";
  require_argument(name != nullptr, argument, "is null; legal: a name");
  std::vector<algorithms::Choice> found = algorithms::parse_algorithms(argument, name);
  if (found.size() != 1 || found.front().algorithm->schedules() == nullptr) {
    throw text::bad_value(argument, name, "is not one algorithm of the suite's own; legal: a name");
  }
  return std::move(found.front());
}

/// Returns the number of every rank's node; nodes are numbered in the order of their lowest ranks.
/// Collective.
std::vector<int> nodes_of(MPI_Comm comm, int ranks) {
  const int own = mpi::lowest_rank_on_node(comm);
  std::vector<int> lowest(static_cast<std::size_t>(ranks));
  mpi::require(MPI_Allgather(&own, 1, MPI_INT, lowest.data(), 1, MPI_INT, comm), "MPI_Allgather");
  const std::set<int> nodes(lowest.begin(), lowest.end());
  for (int& node : lowest) {
    node = static_cast<int>(std::distance(nodes.begin(), nodes.find(node)));
  }
  return lowest;
}

struct Buffers {
  const void* send;
  void* receive;
  std::int64_t first_byte = 0;  // of the receive buffer, where some lie before its begin
};

/// Throws InputError on all ranks if one of them has no receive buffer for the blocks. Collective.
void require_receive_buffers(const void* receive, const mpi::Layout& layout,
                             const mpi::Communicator& comm) {
  if (layout.total() == 0) return;
  const int own = receive == nullptr ? comm.rank() : comm.size();
  int lowest = own;
  mpi::require(MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  if (lowest == comm.size()) return;
  throw text::InputError("recvbuf: is null on rank " + std::to_string(lowest) +
                         "; legal: a buffer that has room for all blocks");
}

std::unique_ptr<gatherbench_plan> make(const Buffers& buffers, const mpi::Layout& layout,
                                       MPI_Comm original, const algorithms::Choice& choice) {
  const int ranks = layout.blocks();
  algorithms::require_parameter("algorithm", choice, ranks);
  const std::vector<std::int64_t> block_bytes = layout.block_bytes();
  mpi::Communicator comm = mpi::Communicator::duplicate(original);
  require_receive_buffers(buffers.receive, layout, comm);
  const std::vector<int> node = nodes_of(comm.get(), ranks);
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  problem.rank = comm.rank();
  problem.block_bytes = block_bytes;
  problem.node = node;
  if (const auto why = why_not(*choice.algorithm, problem)) {
    throw text::bad_value("algorithm", choice.label(), *why);
  }
  const bool in_place = buffers.send == nullptr || buffers.send == MPI_IN_PLACE;
  const mpi::LoweredSchedule lowered(
      algorithms::make_schedule(*choice.algorithm, problem), layout,
      collectives::part_of(collectives::allgather, problem.rank, ranks), in_place,
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined));
  mpi::Plan plan(lowered, in_place ? nullptr : static_cast<const std::byte*>(buffers.send),
                 static_cast<std::byte*>(buffers.receive) + buffers.first_byte, comm.get(),
                 mpi::Memory::own, {}, mpi::make_window(choice.via, comm.get(), node));
  return std::make_unique<gatherbench_plan>(
      gatherbench_plan{.comm = std::move(comm), .plan = std::move(plan)});
}

/// Returns the number of ranks of an intracommunicator; any other is refused.
int ranks_of(MPI_Comm comm) {
  require_argument(comm != MPI_COMM_NULL, "comm", "is MPI_COMM_NULL; legal: a communicator");
  int is_inter = 0;
  mpi::require(MPI_Comm_test_inter(comm, &is_inter), "MPI_Comm_test_inter");
  require_argument(is_inter == 0, "comm", "has two groups; legal: an intracommunicator");
  return mpi::size_of(comm);
}

/// Throws InputError if a size is negative, or if all together are more than any buffer has.
void require_bytes(std::span<const std::int64_t> bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t sum = 0;
  for (const std::int64_t one : bytes) {
    if (one < 0) throw text::bad_value("bytes", std::to_string(one), "is less than 0; legal: 0 on");
    if (one > most - sum) {
      throw text::bad_value("bytes", std::to_string(one),
                            "makes more than 2^62 bytes in all; legal: blocks that a buffer holds");
    }
    sum += one;
  }
}

/// Returns where the first block with bytes begins, if that is before the receive buffer, or 0.
std::int64_t first_byte_of(std::span<const std::int64_t> bytes,
                           std::span<const std::int64_t> displacements) {
  std::int64_t first = 0;
  for (std::size_t block = 0; block < displacements.size(); ++block) {
    if (bytes[block] > 0) first = std::min(first, displacements[block]);
  }
  return first;
}

/// Sets the plan to null, which it stays if none can be made.
void clear(gatherbench_plan** plan) {
  require_argument(plan != nullptr, "plan", "is null; legal: where the plan is to be put");
  *plan = nullptr;
}

MPI_Comm from_fortran(int comm) {
#ifdef MPI_ABI  // it knows no MPI_Fint
  return MPI_Comm_fromint(comm);
#else
  return MPI_Comm_f2c(comm);
#endif
}

}  // namespace

int gatherbench_allgather_init(const void* sendbuf, void* recvbuf, int64_t bytes, MPI_Comm comm,
                               const char* algorithm, gatherbench_plan** plan) {
  std::vector<std::int64_t> all;
  const int code = guarded([&] {
    clear(plan);
    all.assign(static_cast<std::size_t>(ranks_of(comm)), bytes);
  });
  if (code != MPI_SUCCESS) return code;
  return gatherbench_allgatherv_init(sendbuf, recvbuf, all.data(), nullptr, comm, algorithm, plan);
}

int gatherbench_allgatherv_init(const void* sendbuf, void* recvbuf, const int64_t bytes[],
                                const int64_t displacements[], MPI_Comm comm, const char* algorithm,
                                gatherbench_plan** plan) {
  return guarded([&] {
    clear(plan);
    require_argument(bytes != nullptr, "bytes", "is null; legal: a size of each rank's block");
    const auto ranks = static_cast<std::size_t>(ranks_of(comm));
    const std::span block_bytes(bytes, ranks);
    require_bytes(block_bytes);
    std::vector<std::int64_t> places;  // none: one block behind the other
    if (displacements != nullptr) places.assign(displacements, displacements + ranks);
    const std::int64_t first_byte = first_byte_of(block_bytes, places);
    for (std::int64_t& place : places) place -= first_byte;
    const Buffers buffers{.send = sendbuf, .receive = recvbuf, .first_byte = first_byte};
    *plan = make(buffers, mpi::Layout(block_bytes, places), comm, choose(algorithm)).release();
  });
}

int gatherbench_run(gatherbench_plan* plan) {
  return guarded([plan] { at_rest(plan).plan.run(); });
}

int gatherbench_start(gatherbench_plan* plan) {
  return guarded([plan] {
    at_rest(plan).plan.begin();
    plan->under_way = true;
  });
}

int gatherbench_test(gatherbench_plan* plan, int* done) {
  return guarded([plan, done] {
    require_argument(done != nullptr, "done", "is null; legal: where the answer is to be put");
    if (made(plan).under_way) plan->under_way = !plan->plan.test();
    *done = plan->under_way ? 0 : 1;
  });
}

int gatherbench_wait(gatherbench_plan* plan) {
  return guarded([plan] {
    if (made(plan).under_way) plan->plan.finish();
    plan->under_way = false;
  });
}

int gatherbench_free(gatherbench_plan** plan) {
  return guarded([plan] {
    require_argument(plan != nullptr, "plan", "is null; legal: the address of a plan");
    if (*plan != nullptr) at_rest(*plan);
    const std::unique_ptr<gatherbench_plan> freed(std::exchange(*plan, nullptr));
  });
}

const char* gatherbench_error() { return last_error.c_str(); }

int gatherbench_allgather_init_f(const void* sendbuf, void* recvbuf, int64_t bytes, int comm,
                                 const char* algorithm, gatherbench_plan** plan) {
  return gatherbench_allgather_init(sendbuf, recvbuf, bytes, from_fortran(comm), algorithm, plan);
}

int gatherbench_allgatherv_init_f(const void* sendbuf, void* recvbuf, const int64_t bytes[],
                                  const int64_t displacements[], int comm, const char* algorithm,
                                  gatherbench_plan** plan) {
  return gatherbench_allgatherv_init(sendbuf, recvbuf, bytes, displacements, from_fortran(comm),
                                     algorithm, plan);
}
