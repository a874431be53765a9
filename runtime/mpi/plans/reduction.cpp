// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

}  // namespace

void combine(const Reduction& reduction, const std::byte* first, std::byte* result,
             std::int64_t bytes) {
  for (std::int64_t left = bytes / reduction.element_bytes; left > 0;) {
    const std::int64_t count = std::min(left, most);
    require(MPI_Reduce_local(first, result, static_cast<int>(count), reduction.type, reduction.op),
            "MPI_Reduce_local");
    first += count * reduction.element_bytes;
    result += count * reduction.element_bytes;
    left -= count;
  }
}

std::optional<std::string> why_not_counted(std::int64_t bytes, std::int64_t element_bytes) {
  if (bytes / element_bytes <= most) return {};
  return fmt::format("MPI's int cannot count {} elements", bytes / element_bytes);
}

double measure_combine_us(const Reduction& reduction, std::int64_t bytes, MPI_Comm comm) {
  constexpr std::size_t repetitions = 7;
  double median = 0;
  if (rank_of(comm) == 0 && bytes > 0) {
    const Buffer both(2 * bytes);
    std::memset(both.data(), 0, static_cast<std::size_t>(2 * bytes));
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < repetitions; ++i) {
      const std::int64_t start = steady_ns();
      combine(reduction, both.data(), both.data() + bytes, bytes);
      times.push_back(steady_ns() - start);
    }
    std::ranges::nth_element(times, times.begin() + repetitions / 2);
    median = static_cast<double>(times[repetitions / 2]) / 1000;
  }
  require(MPI_Bcast(&median, 1, MPI_DOUBLE, 0, comm), "MPI_Bcast");
  return median;
}

}  // namespace gatherbench::mpi
