// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "bench/host/nodes.h"
#include "formats/metadata.h"

// These functions describe what a launch runs on: the keys machine.… of its result file.
namespace gatherbench::bench {

// These functions find out which parts of the MPI library move the bytes, as far as it tells.

/// Returns the keys `transport` ("ob1 over tcp, vader", "ch4:ofi") and `collective_components`,
/// from what the library says of itself and the categories of its control variables. A library that
/// is not known has neither.
formats::Metadata find_components(std::string_view library_version,
                                  std::span<const std::string> categories);

/// Returns these keys for the library at hand. MPI has to be initialised. Throws mpi::MpiError.
formats::Metadata describe_components();

/// Returns how much processor time the cgroups leave this process: "1.5 processors", or "none"
/// where no quota is set. The smallest quota of its cgroup and those above it counts, from
/// `proc/self/cgroup` and `sys/fs/cgroup` below `root` (version 2 or 1). Empty: the kernel does not
/// tell.
std::string read_cpu_quota(const std::filesystem::path& root);

/// Returns what the files of /proc and /sys below `root` tell of this node: its processors, memory,
/// processor quota, huge pages and network cards. What they do not tell has no key.
formats::Metadata read_node(const std::filesystem::path& root);

/// Joins what several nodes tell: a value that all share stays as it is, whole numbers become
/// "MIN to MAX", all else "2 kinds: A (3 nodes); B (1 node)", with "not told" where a node lacks
/// the key.
formats::Metadata unite(std::span<const formats::Metadata> nodes);

/// Returns on rank 0 what the nodes of a launch tell, joined; on other ranks nothing. Empty in a
/// simulation, whose results are not of the machine that computes it. Collective; called before
/// anything is timed.
formats::Metadata collect_machine(const Nodes& nodes, MPI_Comm world);

/// Returns on rank 0 the highest load average of all nodes over the last minute, as "0.52". Empty
/// on other ranks, and in a simulation. Collective.
std::string find_load(MPI_Comm world);

}  // namespace gatherbench::bench
