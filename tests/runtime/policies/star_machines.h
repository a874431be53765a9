// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "algorithms/cost/models.h"
#include "algorithms/placement.h"
#include "algorithms/topology/switch_tree.h"
#include "runtime/policies/star.h"
#include "tests/schedule_of.h"

// STAR-MPI's machines and its all-gathers (Faraj 2006, 4.3.2).
namespace gatherbench::policies {

struct StarMachine {
  algorithms::Placement placement;
  int ranks;
};

/// 16 hosts on one switch.
inline StarMachine star_a() {
  StarMachine machine{{}, 16};
  machine.placement.network = std::make_shared<const topology::SwitchTree>(
      topology::SwitchTree::parse("a", "SwitchName=s Nodes=n[0-15]\n"));
  for (int rank = 0; rank < 16; ++rank) machine.placement.host.push_back(rank);
  return machine;
}

/// 32 hosts, eight on each of four switches, of which three hang on the first; ranks are dealt out
/// to the switches in turn, as in jobs/platforms/faraj-stage-c.toml.
inline StarMachine star_b() {
  StarMachine machine{{}, 32};
  machine.placement.network =
      std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse(
          "b",
          "SwitchName=s0 Nodes=n[0-7] Switches=s[1-3]\nSwitchName=s1 Nodes=n[8-15]\n"
          "SwitchName=s2 Nodes=n[16-23]\nSwitchName=s3 Nodes=n[24-31]\n"));
  for (int rank = 0; rank < 32; ++rank) {
    machine.placement.host.push_back(rank % 4 * 8 + rank / 4);
  }
  return machine;
}

/// 100 Mbit/s; the latency is an assumption.
constexpr cost::ContentionModel star_network{.alpha = 1e-4, .bandwidth = 12.5e6};

/// The repository of the all-gather, in its order, where the topology is known.
inline std::vector<algorithms::Choice> star_choices() {
  std::vector<algorithms::Choice> choices;
  for (const StarAlgorithm& each : star_repository()) {
    if (each.name != "ring") choices.push_back(choice(each.name));
  }
  return choices;
}

}  // namespace gatherbench::policies
