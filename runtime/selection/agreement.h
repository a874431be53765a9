// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/progress.h"

// The only places where ranks hear of each other's times and troubles. All is in integers: what is
// decided by it has to be the same on all ranks, and MPI libraries' sums of floating-point numbers
// have differed between them.
namespace gatherbench::selection {

/// The numbers that a rank brings to an agreement.
struct Own {
  std::span<const Taken> taken = {};
  std::int64_t base_ns = 0;  ///< some time not long ago, the same on all ranks
  std::int64_t id = 0;
  std::int64_t former_ns = 0;  ///< what the agreement before took, with all that it made ready
  /// Names what this rank could go on from, and no other state; 0: nothing.
  std::int64_t known = 0;
  std::int64_t unpaid_ns = 0;  ///< what was spent since then
  bool objects = false;        ///< asks all to leave such calls to the MPI library
  /// True if ranks also agree on gaps between calls; the same on all ranks.
  bool with_gaps = false;
  /// True if a call that ranks may leave before all have come takes as long as on its slowest rank.
  /// The same on all ranks.
  bool of_slowest = false;
};

/// Returns true if such a policy compares what calls take on their slowest rank: in a loop of calls
/// with a root some ranks run ahead, and one has all the work. STAR-MPI takes the mean.
[[nodiscard]] inline bool is_of_slowest(const policies::PolicyKind& policy,
                                        const collectives::Collective& collective) {
  return policy.is_bounded && collective.has_root;
}

struct Agreed {
  std::vector<std::int64_t> times_ns;  ///< time of each call that was timed, over all ranks
  /// The time from the former call's exit to each arrival; policies::no_gap if a rank does not
  /// know.
  std::vector<std::int64_t> gaps_ns;
  std::int64_t last_arrival_ns = 0;  ///< the last one of all, or `base_ns`
  std::int64_t id = 0;               ///< the largest that a rank gave
  std::int64_t former_ns = 0;        ///< the least that a rank gave: it waited for nobody
  bool all_know = false;             ///< all gave the same to go on from
  std::int64_t unpaid_ns = 0;        ///< the least that a rank gave
  bool any_objects = false;
};

/// Makes one time of each call from those of all ranks. If no rank can leave the call before all
/// have come, and the ranks' common clock is exact to a twentieth of the time, that is: the mean of
/// the exits, less the last arrival. So waiting for late ranks, which no algorithm can change, does
/// not count. Otherwise it is Faraj's: the mean over the ranks of exit less arrival, or, if asked
/// for, the longest of these. A gap is what is left of the time between the mean exits of two
/// calls: up to the last arrival, or else the mean over the ranks. Collective. Throws
/// mpi::MpiError.
Agreed agree_on_times(MPI_Comm comm, int ranks, const mpi::GlobalClock& clock, const Own& own);

struct Trouble {
  bool any = false;
  std::int64_t id = 0;  ///< the largest that a rank gave
};

/// Returns whether any rank is in trouble. Collective. Throws mpi::MpiError.
Trouble agree_on_trouble(MPI_Comm comm, bool own, std::int64_t id);

}  // namespace gatherbench::selection
