// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "algorithms/placement.h"
#include "bench/collective.h"
#include "bench/options/options.h"
#include "bench/setup/cases.h"
#include "bench/setup/contenders.h"
#include "bench/setup/nodes.h"

namespace gatherbench::bench {

/// The cases of one numbering of the ranks.
struct Part {
  MappedOrder order;
  algorithms::Placement placement;  ///< of the ranks as they are numbered here
  std::vector<Case> cases;
};

/// What the options leave to the launch.
struct Conditions {
  Sync sync = Sync::barrier;
  Hold hold = Hold::busy;
  double compute_us = 0;
  bool message_time = false;  ///< the time of a block's message is needed
};

/// Everything that is settled, and found legal, before anything is measured or written.
struct Launch {
  Collective collective;
  Options options;
  Nodes nodes;
  std::vector<Contender> contenders;
  std::vector<distributions::Distribution> distributions;  ///< the cases point into it
  std::vector<arrivals::ArrivalPattern> arrivals;          ///< the cases point into it
  Conditions conditions;
  std::vector<Part> parts;
  std::vector<std::string> notes;  ///< what the user should know, for comment lines
  MemoryNeed most_memory;          ///< of the case that needs most
  MemoryNeed most_folded;          ///< of those whose memory the ranks share
  std::int64_t memory_allowed;     ///< bytes a rank
};

/// Throws InputError on every rank alike. Collective over `world`.
Launch prepare_launch(Collective collective, Options options, MPI_Comm world);

/// What --dry-run prints.
std::string dry_run_text(const Launch& launch);

}  // namespace gatherbench::bench
