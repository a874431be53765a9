// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/placement.h"
#include "bench/host/nodes.h"
#include "bench/options/options.h"
#include "bench/plan/call_sequence.h"
#include "bench/plan/cases.h"
#include "bench/plan/contenders.h"
#include "bench/plan/groups.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// The calls of a traced program, as one rank of the launch makes them.
struct Replay {
  /// The program and the sequence, with a checksum: launches of different ones are no sample.
  std::string label;
  std::vector<std::string> notes;     ///< what is left out or not checked
  std::vector<Group> groups;          ///< the program's communicators; ranks in their order
  std::vector<SequenceShape> shapes;  ///< of these, each different one once
  std::vector<RankCall> own_calls;    ///< of this rank
  std::int64_t bytes = 0;             ///< that a rank contributes to all calls together, the mean
  std::int64_t total_bytes = 0;       ///< that a rank ends with, all calls together, at most
  std::int64_t shortest_ns = 0;       ///< an iteration, if the calls took no time
  std::int64_t longest_gap_ns = 0;    ///< of any rank
};

/// Reads the files on rank 0, which tells the others. Throws InputError on every rank alike: what
/// is damaged or missing, or of another number of ranks. Collective over `world`.
Replay read_replay(const collectives::Collective& collective, const ReplayChoice& choice,
                   const algorithms::Placement& placement, std::span<const int> node_of_rank,
                   MPI_Comm world);

/// Returns the one case of a launch that replays.
Case replay_case(const Options& options, const Replay& replay, const MappedOrder& order,
                 const Group& all, const distributions::Distribution& distribution,
                 const arrivals::ArrivalPattern& arrival);

/// Returns a call of this shape alone as a case of its communicator.
Case case_of(const Replay& replay, const SequenceShape& shape, const Case& the_case);

}  // namespace gatherbench::bench
