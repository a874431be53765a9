// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace gatherbench::bench {

/// Bytes behind the receive buffer's blocks, which show whether a call writes beyond them.
inline constexpr std::int64_t guard_bytes = 64;

/// The pairs of a send and a receive buffer that the calls of a case use in turn (`--buffers
/// rotate:BYTES`); they lie one behind the other. Sizes in bytes. The unit is a cache line, and
/// no page: small buffers on pages of their own would all fall into a few sets of a cache, and a
/// ring that spans many bytes would touch few.
struct BufferRing {
  std::int64_t pairs = 1;
  std::int64_t send = 0;     ///< whole lines; where the receive buffer of a pair begins
  std::int64_t receive = 0;  ///< whole lines, with the guard bytes

  [[nodiscard]] std::int64_t total() const { return pairs * (send + receive); }
};

/// Returns the ring of a case that sends and receives so many bytes: its buffers have `span` bytes
/// or more, not counting the guard bytes, and there are two pairs or more.
inline BufferRing make_ring(std::int64_t span, std::int64_t sent, std::int64_t received) {
  constexpr std::int64_t line = 64;
  const auto whole_lines = [](std::int64_t bytes) { return (bytes + line - 1) / line * line; };
  const std::int64_t used = std::max(whole_lines(sent) + whole_lines(received), line);
  const std::int64_t pairs = (span - 1) / used + 1;
  return {std::max<std::int64_t>(pairs, 2), whole_lines(sent), whole_lines(received + guard_bytes)};
}

}  // namespace gatherbench::bench
