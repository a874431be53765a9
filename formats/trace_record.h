// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "formats/trace_operations.h"

namespace gatherbench::formats {

/// One call of one rank, as it lies in the file; docs/trace.md has the same table.
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
  static constexpr const char* layout =
      "arrival_ns:i8 exit_ns:i8 bytes:i8 total_bytes:i8 communicator:u4 call:u4 site:u4 "
      "operation:u2 flags:u2";
};
static_assert(sizeof(TraceRecord) == 48);

}  // namespace gatherbench::formats
