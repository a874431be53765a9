// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/selection/agreement.h"

#include <algorithm>
#include <array>

#include "runtime/mpi/handles.h"

namespace gatherbench::selection {
namespace {

void reduce(std::span<std::int64_t> numbers, MPI_Op operation, MPI_Comm comm) {
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                             MPI_INT64_T, operation, comm),
               "MPI_Allreduce");
}

/// The sum over the ranks, exactly: that of times between agreements that are hours apart passes 64
/// bits where ranks are many, so each rank gives its time over the number of ranks, and what is
/// left.
struct Sum {
  std::int64_t wholes = 0;
  std::int64_t rests = 0;

  static Sum of(std::int64_t ns, int ranks) { return {ns / ranks, ns % ranks}; }
  friend Sum operator+(const Sum& a, const Sum& b) {
    return {a.wholes + b.wholes, a.rests + b.rests};
  }
  friend Sum operator-(const Sum& a, const Sum& b) {
    return {a.wholes - b.wholes, a.rests - b.rests};
  }
  [[nodiscard]] std::int64_t mean(int ranks) const { return wholes + rests / ranks; }
};

/// Numbers that are combined over the ranks.
struct Combined {
  Sum exits = {};
  Sum arrivals = {};
  std::int64_t largest = 0;
};
constexpr int numbers_of_combined = 5;
static_assert(sizeof(Combined) == numbers_of_combined * sizeof(std::int64_t));

void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const std::span<const Combined> from(static_cast<const Combined*>(in),
                                       static_cast<std::size_t>(*count));
  auto* to = static_cast<Combined*>(inout);
  for (const Combined& each : from) {
    *to = {to->exits + each.exits, to->arrivals + each.arrivals,
           std::max(to->largest, each.largest)};
    ++to;
  }
}

/// Combines all numbers in one reduction: an agreement takes half as long as with two.
void reduce(std::span<Combined> numbers, MPI_Comm comm) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  mpi::require(MPI_Type_contiguous(numbers_of_combined, MPI_INT64_T, &type), "MPI_Type_contiguous");
  mpi::require(MPI_Type_commit(&type), "MPI_Type_commit");
  mpi::require(MPI_Op_create(combine, 1, &operation), "MPI_Op_create");
  const int failed = MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()),
                                   type, operation, comm);
  MPI_Op_free(&operation);
  MPI_Type_free(&type);
  mpi::require(failed, "MPI_Allreduce");
}

/// Returns a rank's times of one call: by the common clock, where that may be used, else only how
/// long it was.
Combined own_of(const Taken& taken, std::int64_t base_ns, int ranks) {
  if (!taken.from_last_arrival) {
    const std::int64_t ns = taken.exit_ns - taken.arrival_ns;
    return {.exits = Sum::of(ns, ranks), .largest = ns};
  }
  const std::int64_t arrival_ns = taken.arrival_ns - base_ns;
  return {Sum::of(taken.exit_ns - base_ns, ranks), Sum::of(arrival_ns, ranks), arrival_ns};
}

/// Returns a rank's exit of the call before, by the common clock or else from the arrival on.
/// `largest` is 1 where the rank does not know it.
Combined former_of(const Taken& taken, std::int64_t base_ns, int ranks) {
  if (!taken.former_exit_ns) return {.largest = 1};
  const std::int64_t since_ns = taken.from_last_arrival ? base_ns : taken.arrival_ns;
  return {.exits = Sum::of(*taken.former_exit_ns - since_ns, ranks)};
}

// The clock's error is at most this part of the shortest time.
constexpr std::int64_t least_times_error = 20;

}  // namespace

Agreed agree_on_times(MPI_Comm comm, int ranks, const mpi::GlobalClock& clock, const Own& own) {
  std::vector<Combined> all;
  std::int64_t latest_ns = 0;
  for (const Taken& each : own.taken) {
    all.push_back(own_of(each, own.base_ns, ranks));
    latest_ns = std::max(latest_ns, each.arrival_ns - own.base_ns);
  }
  all.push_back({.largest = latest_ns});
  all.push_back({.largest = own.id});
  all.push_back({.largest = -own.former_ns});
  all.push_back({.largest = own.known});
  all.push_back({.largest = -own.known});
  all.push_back({.largest = -own.unpaid_ns});
  all.push_back({.largest = own.objects ? 1 : 0});
  const std::size_t formers = all.size();
  if (own.with_gaps) {
    for (const Taken& each : own.taken) all.push_back(former_of(each, own.base_ns, ranks));
  }
  reduce(all, comm);
  Agreed agreed;
  const std::size_t times = own.taken.size();
  std::vector<std::int64_t> after_last_ns;
  bool good_clock = true;
  for (std::size_t i = 0; i < times; ++i) {
    const std::int64_t mean_ns = (all[i].exits - all[i].arrivals).mean(ranks);
    const bool by_slowest = own.of_slowest && !own.taken[i].from_last_arrival;
    agreed.times_ns.push_back(by_slowest ? all[i].largest : mean_ns);
    after_last_ns.push_back(all[i].exits.mean(ranks) - all[i].largest);
    good_clock =
        good_clock && (!own.taken[i].from_last_arrival ||
                       clock.error_ns(own.base_ns) * least_times_error <= after_last_ns.back());
  }
  for (std::size_t i = 0; good_clock && i < times; ++i) {
    if (own.taken[i].from_last_arrival) agreed.times_ns[i] = after_last_ns[i];
  }
  for (std::size_t i = 0; own.with_gaps && i < times; ++i) {
    const Combined& former = all[formers + i];
    const bool by_clock = good_clock && own.taken[i].from_last_arrival;
    const std::int64_t gap_ns = by_clock ? all[i].largest - former.exits.mean(ranks)
                                         : (all[i].arrivals - former.exits).mean(ranks);
    const bool is_known = former.largest == 0;
    agreed.gaps_ns.push_back(is_known ? std::max(gap_ns, std::int64_t{0}) : policies::no_gap);
  }
  agreed.last_arrival_ns = own.base_ns + all[times].largest;
  agreed.id = all[times + 1].largest;
  agreed.former_ns = -all[times + 2].largest;
  agreed.all_know = own.known != 0 && all[times + 3].largest == -all[times + 4].largest;
  agreed.unpaid_ns = -all[times + 5].largest;
  agreed.any_objects = all[times + 6].largest != 0;
  return agreed;
}

Trouble agree_on_trouble(MPI_Comm comm, bool own, std::int64_t id) {
  std::array<std::int64_t, 2> maxima{own ? 1 : 0, id};
  reduce(maxima, MPI_MAX, comm);
  return {maxima[0] != 0, maxima[1]};
}

}  // namespace gatherbench::selection
