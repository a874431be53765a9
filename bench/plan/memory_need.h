// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/contenders.h"
#include "runtime/mpi/buffers.h"

namespace gatherbench::bench {

/// Bytes that the buffers of --measure-model take on a rank, before the cases.
inline constexpr std::int64_t model_memory = std::int64_t{2} << 20;

/// The bytes of a case's buffers on the rank that needs most.
struct MemoryNeed {
  std::int64_t send = 0;
  std::int64_t receive = 0;
  std::int64_t ring = 0;   ///< of pairs of both, instead of these (`--buffers rotate`)
  std::int64_t other = 0;  ///< what is read to empty the caches (`--buffers cold`)
  std::int64_t extra = 0;  ///< scratch, packing buffers and channels of all algorithms together
  [[nodiscard]] std::int64_t total() const { return send + receive + ring + other + extra; }
};
/// Returns the larger one of each part: memory that serves both.
MemoryNeed most_of(const MemoryNeed& one, const MemoryNeed& two);
/// Returns whose memory the buffers are in: simulated ranks share bytes that nobody looks at.
mpi::Memory choose_memory(const Options& options, std::int64_t bytes);
/// Returns the bytes that a case takes, whosever memory they are in, without the channels of
/// windows. `buffers` is what --buffers came to.
MemoryNeed estimate_memory(const Case& the_case, const Options& options,
                           const BufferChoice& buffers, std::span<const Contender> contenders);

}  // namespace gatherbench::bench
