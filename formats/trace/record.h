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

/// One call of one rank. In files of the versions 1 and 2 it lies as it is here, with `layout`;
/// since then records are packed (formats/trace/block.h).
struct TraceRecord {
  std::int64_t arrival_ns;  // of this rank's own clock
  std::int64_t exit_ns;
  std::int64_t bytes;          // this rank's block
  std::int64_t total_bytes;    // of all blocks that this rank knows of
  std::uint32_t communicator;  // its number in this file
  std::uint32_t call;          // 0, 1, ... on this communicator, so the same on all its ranks
  std::uint32_t site;          // its number in this file
  TraceOperation operation;
  std::uint16_t flags;

  /// The rank wrote its buffer to the file between its last call and this one.
  static constexpr std::uint16_t after_write = 1;
  /// It was drawn among as many calls like it as AGTRACE_SAMPLE says, and stands for these.
  static constexpr std::uint16_t drawn = 2;
  static constexpr std::int64_t largest = std::int64_t{1} << 62;  // bytes are fewer
  static constexpr const char* layout =
      "arrival_ns:i8 exit_ns:i8 bytes:i8 total_bytes:i8 communicator:u4 call:u4 site:u4 "
      "operation:u2 flags:u2";
};
static_assert(sizeof(TraceRecord) == 48);

}  // namespace gatherbench::formats
