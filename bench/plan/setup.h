// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/placement.h"
#include "bench/conditions/congestion.h"
#include "bench/conditions/load.h"
#include "bench/conditions/traffic.h"
#include "bench/host/nodes.h"
#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/contenders.h"
#include "bench/plan/groups.h"
#include "bench/plan/memory_need.h"
#include "bench/plan/replay.h"

namespace gatherbench::bench {

/// The cases of one numbering of the ranks.
struct MappedCases {
  MappedOrder order;
  algorithms::Placement placement;  ///< of the ranks as they are numbered here
  std::vector<Group> groups;        ///< of these; at least one
  std::vector<Case> cases;
};

/// Everything that is settled, and found legal, before anything is measured or written.
struct Setup {
  Options options;  ///< that were asked for
  Nodes nodes = {};
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
  MemoryNeed max_memory = {};           ///< of each part, of the case that needs most of it
  MemoryNeed max_folded = {};           ///< of those whose memory the ranks share
  std::int64_t memory_allowed = 0;      ///< bytes a rank
};

}  // namespace gatherbench::bench
