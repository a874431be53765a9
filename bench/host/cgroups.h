// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace gatherbench::bench {

/// The folders of this process's cgroup for processors and of those above it, the lowest first, by
/// `proc/self/cgroup` and `sys/fs/cgroup` below `root` (version 2 or 1). Not each of them need be
/// there: a container may see its own cgroup as the root of all, whatever its path is outside.
std::vector<std::filesystem::path> processor_cgroups(const std::filesystem::path& root);

}  // namespace gatherbench::bench
