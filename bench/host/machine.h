// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <filesystem>
#include <span>

#include "bench/host/nodes.h"
#include "formats/metadata.h"

// What a launch runs on: the keys machine.… of its result file, and what of the MPI library moves
// its bytes.
namespace gatherbench::bench {

/// Of this node, from the files of /proc and /sys below `root`. What they do not tell has no key.
formats::Metadata read_node(const std::filesystem::path& root);

/// What nodes tell, as one: a value that all share as it is; whole numbers as "MIN to MAX"; else
/// "2 kinds: A (3 nodes); B (1 node)", "not told" where a node lacks the key.
formats::Metadata unite(std::span<const formats::Metadata> nodes);

/// Of the nodes of a launch, on rank 0; elsewhere nothing. Empty in a simulation, which is not of
/// the machine that computes it. Collective, and done before anything is timed.
formats::Metadata collect_machine(const Nodes& nodes, MPI_Comm world);

/// The load average of the last minute, as "0.52", of the node that has the highest, on rank 0.
/// Empty elsewhere, and in a simulation. Collective.
std::string find_load(MPI_Comm world);

}  // namespace gatherbench::bench
