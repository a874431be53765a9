// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "formats/metadata.h"

namespace gatherbench::bench {

/// What the kernel tells of this node's processors, from `proc/cpuinfo` and `sys/devices/system`
/// below `root`: machine.cpu, machine.sockets, machine.cores, machine.threads_per_core,
/// machine.numa_nodes, machine.governor, machine.turbo. Of processors that are online. Without a
/// file, as in some containers and virtual machines, there is no key.
formats::Metadata read_processors(const std::filesystem::path& root);

}  // namespace gatherbench::bench
