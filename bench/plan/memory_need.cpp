// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/memory_need.h"

#include <algorithm>

#include "bench/conditions/buffer_ring.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

/// Returns the bytes of the ring of the rank that has most. That need not be the one that holds
/// most: one that sends less has more pairs.
std::int64_t ring_bytes(const Case& the_case, const Options& options, std::int64_t bytes,
                        const mpi::Layout& layout) {
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const auto in_memory = [&](std::int64_t size) { return layout.element().in_memory(size); };
  std::int64_t most = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    const collectives::Part part = part_of(collective, rank, ranks);
    const std::int64_t sent = part.in_place_if(options.in_place) ? 0 : layout.bytes(part.initial);
    const auto ring = make_ring(bytes, in_memory(sent), in_memory(layout.extent(part.goal)));
    most = std::max(most, ring.total());
  }
  return most;
}

}  // namespace

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
  const auto in_memory = [&](std::int64_t bytes) { return layout.element().in_memory(bytes); };
  MemoryNeed need;
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const std::int64_t before = max_bytes_of(collective.initial, ranks, layout);
  std::int64_t after = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    after = std::max(after, layout.extent(collective.goal(rank, ranks)));
  }
  // A rank that ends with nothing has what it sends even in place.
  const bool no_rank_sends = options.in_place && !(collective.combines && collective.has_root);
  if (buffers.use == BufferUse::rotate) {
    need.ring = ring_bytes(the_case, options, buffers.bytes, layout);
  } else {
    need.send = no_rank_sends ? 0 : in_memory(before);
    need.receive = in_memory(after) + guard_bytes;
  }
  // The contributions and the results that are expected, of calls that take turns.
  if (collective.combines) need.extra += 2 * (before + after);
  if (buffers.use == BufferUse::cold) need.other = buffers.bytes;
  std::int64_t sum = 0;
  std::int64_t most = 0;
  for (const Contender& contender : contenders) {
    const std::int64_t extra = estimate_extra_bytes(contender, options, the_case, layout);
    sum += extra;
    most = std::max(most, extra);
  }
  // One after the other, only one algorithm's plan is alive.
  need.extra += options.order.kind == Order::sequential ? most : sum;
  return need;
}

}  // namespace gatherbench::bench
