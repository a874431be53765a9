// SPDX-License-Identifier: BSD-3-Clause
#include "selection/agreement.h"

#include <algorithm>
#include <array>

#include "mpi/handles.h"

namespace gatherbench::selection {
namespace {

void reduce(std::span<std::int64_t> numbers, MPI_Op operation, MPI_Comm comm) {
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                             MPI_INT64_T, operation, comm),
               "MPI_Allreduce");
}

/// Of each pair of numbers the sum of the first ones, and the largest of the second ones.
struct Pair {
  std::int64_t sum;
  std::int64_t largest;
};

void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const std::span<const Pair> from(static_cast<const Pair*>(in), static_cast<std::size_t>(*count));
  Pair* to = static_cast<Pair*>(inout);
  for (const Pair& each : from) {
    *to = {to->sum + each.sum, std::max(to->largest, each.largest)};
    ++to;
  }
}

/// In one reduction: an agreement takes half as long as with two.
void reduce(std::span<Pair> pairs, MPI_Comm comm) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  mpi::require(MPI_Type_contiguous(2, MPI_INT64_T, &type), "MPI_Type_contiguous");
  mpi::require(MPI_Type_commit(&type), "MPI_Type_commit");
  mpi::require(MPI_Op_create(combine, 1, &operation), "MPI_Op_create");
  const int failed = MPI_Allreduce(MPI_IN_PLACE, pairs.data(), static_cast<int>(pairs.size()), type,
                                   operation, comm);
  MPI_Op_free(&operation);
  MPI_Type_free(&type);
  mpi::require(failed, "MPI_Allreduce");
}

}  // namespace

bool is_good_for(const mpi::GlobalClock& clock, std::int64_t base_ns, std::int64_t shortest_ns) {
  constexpr std::int64_t least_share = 20;
  return clock.error_ns(base_ns) * least_share <= shortest_ns;
}

Agreed agree_on_times(MPI_Comm comm, int ranks, const Own& own) {
  std::vector<Pair> pairs;
  std::int64_t latest_ns = 0;
  for (const Taken& each : own.taken) {
    const bool from_last_arrival = own.one_clock && each.from_last_arrival;
    pairs.push_back({each.exit_ns - (from_last_arrival ? own.base_ns : each.arrival_ns),
                     from_last_arrival ? each.arrival_ns - own.base_ns : 0});
    latest_ns = std::max(latest_ns, each.arrival_ns - own.base_ns);
  }
  pairs.push_back({0, latest_ns});
  pairs.push_back({0, own.id});
  pairs.push_back({0, -own.former_ns});
  reduce(pairs, comm);
  Agreed agreed;
  const std::size_t times = own.taken.size();
  for (const Pair& each : std::span(pairs).first(times)) {
    agreed.times_ns.push_back(each.sum / ranks - each.largest);
  }
  agreed.last_arrival_ns = own.base_ns + pairs[times].largest;
  agreed.id = pairs[times + 1].largest;
  agreed.former_ns = -pairs[times + 2].largest;
  return agreed;
}

Trouble agree_on_trouble(MPI_Comm comm, bool own, std::int64_t id) {
  std::array<std::int64_t, 2> maxima{own ? 1 : 0, id};
  reduce(maxima, MPI_MAX, comm);
  return {maxima[0] != 0, maxima[1]};
}

}  // namespace gatherbench::selection
