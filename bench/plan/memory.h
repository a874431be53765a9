// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "algorithms/collectives/collective.h"
#include "bench/conditions/congestion.h"
#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/contenders.h"
#include "bench/plan/setup.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/layout.h"

// The memory that a launch will take is known here before any of it is taken.
namespace gatherbench::bench {

/// Bytes that the buffers of --measure-model take on a rank, before the cases.
inline constexpr std::int64_t model_memory = std::int64_t{2} << 20;

/// Returns the larger one of each part: memory that serves both.
MemoryNeed most_of(const MemoryNeed& one, const MemoryNeed& two);

/// Returns whose memory the buffers are in: simulated ranks share bytes that nobody looks at.
mpi::Memory choose_memory(const Options& options, std::int64_t bytes);

/// Returns the buffers that a contender needs besides the send and the receive buffer, in bytes on
/// the rank that needs most: an upper bound that costs no schedule of every rank. Channels of
/// algorithms by windows are not in it. `layout` is of the blocks of the case.
std::int64_t estimate_extra_bytes(const Contender& contender, const Options& options,
                                  const Case& the_case, const mpi::Layout& layout);

/// Returns the bytes of the blocks that `of_rank` names, on the rank that has most.
std::int64_t max_bytes_of(collectives::BlocksOfRank* of_rank, int ranks, const mpi::Layout& layout);

/// Returns the bytes that the buffers and the contenders of a case take, whosever memory they are
/// in, without the channels of windows.
MemoryNeed estimate_memory(const Setup& setup, const Case& the_case);

/// Returns the bytes of a rank for these buffers, one behind the other in a window.
std::int64_t bytes_in_window(const MemoryNeed& buffers, const BufferPlaces& places);

/// Returns the bytes of the rank that has most for the channels of all plans that are alive at a
/// time: of algorithms by windows, and of those that select and may take one.
std::int64_t channel_bytes_of_rank(const Setup& setup);

/// Returns what the cases need, and what a rank may use: --mem-limit, but not more than its share
/// of its node. `congestion` tells what ranks beside those of `world` take. Throws InputError if
/// - a case, --measure-model, or a rank that congests needs more;
/// - the ranks of some node need more memory that they share than there is, for their buffers
///   (--buffers-in window) or for the channels of algorithms by windows. Otherwise the MPI library
///   would refuse it after the result file has been begun, or a rank would be killed when it writes
///   there.
/// Collective over `world`.
LaunchMemory find_memory(const Setup& setup, MPI_Comm world,
                         const CongestionMemory& congestion = {});

}  // namespace gatherbench::bench
