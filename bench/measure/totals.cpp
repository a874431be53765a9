// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/totals.h"

#include <algorithm>
#include <type_traits>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

static_assert(std::is_trivially_copyable_v<Totals> && sizeof(Totals) % sizeof(std::int64_t) == 0);
constexpr int fields = sizeof(Totals) / sizeof(std::int64_t);

void combine_all(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {
  const auto* const others = static_cast<const Totals*>(in);
  auto* const totals = static_cast<Totals*>(in_out);
  std::transform(others, others + *count, totals, totals, combine);
}

}  // namespace

Totals combine(const Totals& one, const Totals& other) {
  return {
      .min_elapsed = std::min(one.min_elapsed, other.min_elapsed),
      .max_elapsed = std::max(one.max_elapsed, other.max_elapsed),
      .sum_elapsed = one.sum_elapsed + other.sum_elapsed,
      .min_arrival = std::min(one.min_arrival, other.min_arrival),
      .max_arrival = std::max(one.max_arrival, other.max_arrival),
      .max_exit = std::max(one.max_exit, other.max_exit),
      .min_asked = std::min(one.min_asked, other.min_asked),
      .max_asked_exit = std::max(one.max_asked_exit, other.max_asked_exit),
      .max_delay_error = std::max(one.max_delay_error, other.max_delay_error),
      .max_prediction_error = std::max(one.max_prediction_error, other.max_prediction_error),
      .max_helper = std::max(one.max_helper, other.max_helper),
      .max_schedule = std::max(one.max_schedule, other.max_schedule),
      .max_behind = std::max(one.max_behind, other.max_behind),
      .sum_overlapped = one.sum_overlapped + other.sum_overlapped,
      .sum_write = one.sum_write + other.sum_write,
      .sum_read = one.sum_read + other.sum_read,
      .sum_cycle = one.sum_cycle + other.sum_cycle,
  };
}

void reduce_to_rank_0(std::vector<Totals>& totals, MPI_Comm comm) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  mpi::require(MPI_Type_contiguous(fields, MPI_INT64_T, &type), "MPI_Type_contiguous");
  mpi::require(MPI_Type_commit(&type), "MPI_Type_commit");
  mpi::require(MPI_Op_create(combine_all, 1, &op), "MPI_Op_create");
  const void* const send = mpi::rank_of(comm) == 0 ? MPI_IN_PLACE : totals.data();
  const int failed =
      MPI_Reduce(send, totals.data(), static_cast<int>(totals.size()), type, op, 0, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  mpi::require(failed, "MPI_Reduce");
}

}  // namespace gatherbench::bench
