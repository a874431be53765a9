// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/memory_need.h"

#include <algorithm>

#include "bench/setup/buffer_ring.h"
#include "bench/setup/guard_bytes.h"
#include "mpi/rank_model.h"

namespace gatherbench::bench {
mpi::Memory choose_memory(const Options& options, std::int64_t bytes) {
  return mpi::rank_model().one_process && !options.checks(bytes) ? mpi::Memory::folded
                                                                 : mpi::Memory::own;
}

MemoryNeed most_of(const MemoryNeed& one, const MemoryNeed& two) {
  return {.send = std::max(one.send, two.send),
          .receive = std::max(one.receive, two.receive),
          .ring = std::max(one.ring, two.ring),
          .other = std::max(one.other, two.other),
          .extra = std::max(one.extra, two.extra)};
}

MemoryNeed estimate_memory(const Case& the_case, const Options& options,
                           const BufferChoice& buffers, std::span<const Contender> contenders) {
  const mpi::Layout layout = make_layout(the_case);
  MemoryNeed need;
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const std::int64_t before = max_bytes_of(collective.initial, ranks, layout);
  const std::int64_t after = max_bytes_of(collective.goal, ranks, layout);
  if (buffers.use == BufferUse::rotate) {
    // Not only of the rank that holds most: one that sends less has more pairs.
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t sent =
          options.in_place ? 0 : layout.bytes(collective.initial(rank, ranks));
      const std::int64_t received = layout.bytes(collective.goal(rank, ranks));
      need.ring = std::max(need.ring, make_ring(buffers.bytes, sent, received).total());
    }
  } else {
    need.send = options.in_place ? 0 : before;
    need.receive = after + guard_bytes;
  }
  if (buffers.use == BufferUse::cold) need.other = buffers.bytes;
  for (const Contender& contender : contenders) {
    const std::int64_t extra = estimate_extra_bytes(contender, options, the_case, layout);
    // One after the other, only one algorithm's plan is alive.
    need.extra =
        options.order == Order::sequential ? std::max(need.extra, extra) : need.extra + extra;
  }
  return need;
}

}  // namespace gatherbench::bench
