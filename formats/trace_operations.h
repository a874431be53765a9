// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

// The collectives that are traced: all blocking ones with data, and the barrier.
#define AGTRACE_OPERATIONS(ROW) \
  ROW(Allgather)                \
  ROW(Allgatherv)               \
  ROW(Allreduce)                \
  ROW(Alltoall)                 \
  ROW(Alltoallv)                \
  ROW(Alltoallw)                \
  ROW(Barrier)                  \
  ROW(Bcast)                    \
  ROW(Exscan)                   \
  ROW(Gather)                   \
  ROW(Gatherv)                  \
  ROW(Reduce)                   \
  ROW(Reduce_scatter)           \
  ROW(Reduce_scatter_block)     \
  ROW(Scan)                     \
  ROW(Scatter)                  \
  ROW(Scatterv)

namespace gatherbench::formats {

// NOLINTNEXTLINE(performance-enum-size): its numbers are in the file as 16 bits
enum class TraceOperation : std::uint16_t {
#define AGTRACE_ROW(name) name,
  AGTRACE_OPERATIONS(AGTRACE_ROW)
#undef AGTRACE_ROW
};

}  // namespace gatherbench::formats
