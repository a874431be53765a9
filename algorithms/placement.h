// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.h"
#include "algorithms/topology/network.h"

namespace gatherbench::algorithms {

/// The facts that are the same for all problems of a launch: where the ranks run, which a Problem
/// points to, which of them is the root, and what blocks are made of.
struct Placement {
  std::vector<int> node;                             ///< of every rank; empty: all on one
  std::shared_ptr<const topology::Network> network;  ///< null: not known
  std::vector<int> host;                             ///< of every rank, in `network`
  int root = 0;                                      ///< of a collective that has one
  std::int64_t element_bytes = 1;                    ///< of data, which nobody cuts apart
  bool commutes = true;                              ///< its operator does

  /// Returns the problem with this placement, which must outlive it.
  [[nodiscard]] Problem place(Problem problem) const {
    problem.node = node;
    problem.network = network.get();
    problem.host = host;
    problem.root = root;
    problem.element_bytes = element_bytes;
    problem.commutes = commutes;
    return problem;
  }
};

/// Returns a placement with node rank / ranks_per_node for every rank. With a network, node i is
/// its i-th host. Throws InputError if it has fewer hosts than there are nodes.
Placement pretended_placement(int ranks, int ranks_per_node,
                              std::shared_ptr<const topology::Network> network);

/// Returns a placement with rank r on hosts[r / ranks_per_node]; hosts that are left over stay
/// unused. Hosts of one name are one node. Throws InputError that names `option` if there are fewer
/// hosts than that takes, or one that the network does not have.
Placement placement_on(std::string_view option, std::span<const std::string> hosts, int ranks,
                       int ranks_per_node, std::shared_ptr<const topology::Network> network);

}  // namespace gatherbench::algorithms
