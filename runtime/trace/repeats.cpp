// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/repeats.h"

#include <bit>

namespace gatherbench::trace {
namespace {

using formats::TraceOperation;

/// Returns the size of a call as all ranks know it (docs/how-to/trace.md has it for each
/// operation).
std::int64_t shared_bytes(TraceOperation operation, const Size& size) {
  switch (operation) {
    case TraceOperation::Alltoallv:
    case TraceOperation::Alltoallw:
    case TraceOperation::Gatherv:
    case TraceOperation::Scatterv:
      return 0;
    default:
      return size.total_bytes;
  }
}

/// Does the last step of SplitMix64: each bit of the result depends on all bits.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

}  // namespace

Repeats::Turn Repeats::next(std::int64_t communicator, TraceOperation operation, const Size& size,
                            std::uint64_t sample) {
  const auto bytes = static_cast<std::uint64_t>(shared_bytes(operation, size));
  const auto alike =
      static_cast<std::uint16_t>(static_cast<unsigned>(operation) << 8 | std::bit_width(bytes));
  const std::uint64_t before = calls_[alike]++;
  if (before == 0) return Turn::first;
  const std::uint64_t round = (before - 1) / sample;
  const std::uint64_t drawn =
      mix(mix(static_cast<std::uint64_t>(communicator) ^ std::uint64_t{alike} << 48) + round);
  return (before - 1) % sample == drawn % sample ? Turn::drawn : Turn::left_out;
}

}  // namespace gatherbench::trace
