// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/buffer_ring.h"

#include <algorithm>

namespace gatherbench::bench {

namespace {

constexpr std::int64_t line = 64;

std::int64_t whole_lines(std::int64_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

BufferRing make_ring(std::int64_t span, std::int64_t sent, std::int64_t received) {
  const std::int64_t used = std::max(whole_lines(sent) + whole_lines(received), line);
  const std::int64_t pairs = (span - 1) / used + 1;
  return {std::max<std::int64_t>(pairs, 2), whole_lines(sent), whole_lines(received + guard_bytes)};
}

}  // namespace gatherbench::bench
