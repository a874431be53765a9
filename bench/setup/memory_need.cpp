// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/memory_need.h"

#include <algorithm>

#include "bench/setup/guard_bytes.h"
#include "mpi/rank_model.h"

namespace gatherbench::bench {

mpi::Memory choose_memory(const Options& options, std::int64_t bytes) {
  return mpi::rank_model().one_process && !options.checks(bytes) ? mpi::Memory::folded
                                                                 : mpi::Memory::own;
}

MemoryNeed estimate_memory(const Case& the_case, const Options& options,
                           std::span<const Contender> contenders) {
  const mpi::Layout layout = make_layout(the_case);
  MemoryNeed need;
  need.send = options.in_place ? 0 : std::ranges::max(layout.block_bytes());
  need.receive = layout.total() + guard_bytes;
  for (const Contender& contender : contenders) {
    const std::int64_t extra = estimate_extra_bytes(contender, options, layout);
    // One after the other, only one algorithm's plan is alive.
    need.extra =
        options.order == Order::sequential ? std::max(need.extra, extra) : need.extra + extra;
  }
  return need;
}

}  // namespace gatherbench::bench
