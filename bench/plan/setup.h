// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/placement.h"
#include "bench/conditions/congestion.h"
#include "bench/conditions/traffic.h"
#include "bench/host/devices.h"
#include "bench/host/nodes.h"
#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/contenders.h"
#include "bench/plan/groups.h"
#include "bench/plan/replay.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// The cases of one numbering of the ranks.
struct MappedCases {
  MappedOrder order;
  algorithms::Placement placement;  ///< of the ranks as they are numbered here
  std::vector<Group> groups;        ///< of these; at least one
  std::vector<Case> cases;
};

/// The bytes of a case's buffers on the rank that needs most.
struct MemoryNeed {
  std::int64_t send = 0;
  std::int64_t receive = 0;
  std::int64_t ring = 0;   ///< of pairs of both, instead of these (`--buffers rotate`)
  std::int64_t other = 0;  ///< what is read to empty the caches (`--buffers cold`)
  std::int64_t extra = 0;  ///< scratch, packing buffers and channels of all algorithms together
  [[nodiscard]] std::int64_t total() const { return send + receive + ring + other + extra; }
};

/// The memory that the cases of a launch need, each part that of the case that needs most of it.
struct LaunchMemory {
  MemoryNeed most = {};
  MemoryNeed most_folded = {};  ///< of the cases whose memory the ranks share
  std::int64_t allowed = 0;     ///< bytes a rank
  int ranks_of_node = 0;        ///< of the node that has most

  [[nodiscard]] std::int64_t bytes_of_rank() const { return most.total(); }
  [[nodiscard]] std::int64_t bytes_of_node() const { return most.total() * ranks_of_node; }
};

/// The activity beside a group's collective while it is timed.
struct Load {
  std::string beside = std::string(formats::nothing_beside);  ///< as the column of that name has it
  bool every_group = true;  ///< all groups at the same time; else one, each in its turn
  bool traffic = false;     ///< that of --beside is under way
  bool congested = false;   ///< the ranks of --congest send
  bool computes = false;    ///< a computation goes on between the begin of a call and its end
  /// Returns whether nothing runs beside the call but the other groups.
  [[nodiscard]] bool is_call_alone() const {
    return every_group && !traffic && !congested && !computes;
  }
};

/// Everything that is settled, and found legal, before anything is measured or written.
struct Setup {
  Options options;  ///< that were asked for
  Nodes nodes = {};
  Devices devices = {};
  std::vector<Contender> contenders = {};
  std::vector<distributions::Distribution> distributions = {};  ///< the cases point into it
  std::vector<arrivals::ArrivalPattern> arrivals = {};          ///< the cases point into it
  std::optional<Replay> replay = {};  ///< of --replay: the one case is of it
  Sync sync = Sync::barrier;
  Wait wait = Wait::busy;
  double compute_us = 0;
  BufferChoice buffers = {};           ///< of `cold` with its bytes
  bool message_time = false;           ///< the time of a block's message is needed
  TrafficChoice traffic = {};          ///< of --beside
  std::vector<Load> loads = {Load{}};  ///< each is measured of every algorithm; at least one
  std::int64_t cycles = 0;  ///< behind each turn of calls, of cases without an arrival pattern
  std::vector<MappedCases> parts = {};
  std::vector<std::string> notes = {};  ///< what the user should know, for comment lines
  LaunchMemory memory = {};
};

}  // namespace gatherbench::bench
