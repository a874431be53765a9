// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/options/options.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

/// The nodes on which the ranks of a communicator run. The same on every rank.
struct Nodes {
  std::vector<int> of_rank;        ///< node of each rank; nodes are numbered by their lowest rank
  std::vector<std::string> hosts;  ///< name of each node
  std::vector<int> ranks_on;       ///< number of ranks of each node
  bool oversubscribed = false;     ///< on some node, more ranks than processors they may use
  bool one_clock = false;          ///< all ranks read the same steady clock
  std::string binding;             ///< "0-3:0-1 4-7:2-3": ranks and the processors they may use
  [[nodiscard]] int count() const { return static_cast<int>(hosts.size()); }
};

/// Collective.
Nodes find_nodes(MPI_Comm comm);

/// Returns the ranks in the order in which a mapping would have numbered them: sequential fills a
/// node, then the next; cyclic takes one of each node in turn and leaves out full nodes;
/// as_launched changes nothing.
std::vector<int> order_ranks(std::span<const int> node_of_rank, Mapping mapping);

/// Names the order of ranks: "sequential", "cyclic" (on one node all are sequential) or "custom".
std::string_view classify_order(std::span<const int> node_of_rank);

/// Returns what a user should know where ranks do not lie as the launcher was asked to map them;
/// empty where they do.
std::string note_on_launch(std::span<const int> node_of_rank, Mapping asked);

/// Returns a communicator of the same ranks, numbered in this order. Collective.
mpi::Communicator renumber_ranks(MPI_Comm comm, std::span<const int> order);

}  // namespace gatherbench::bench
