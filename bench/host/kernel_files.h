// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// These functions read what the kernel tells in /proc and /sys.
namespace gatherbench::bench {

/// Returns the first line of a file of /proc or /sys, without the blanks at its end; none if there
/// is no such file, it cannot be read (a network card that is down refuses its speed), or it is
/// empty.
std::optional<std::string> first_line(const std::filesystem::path& file);

/// Returns what a folder of /sys holds, sorted; nothing if there is no such folder.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

/// Returns the folders of this process's cgroup for processors and of those above it, the lowest
/// first, by `proc/self/cgroup` and `sys/fs/cgroup` below `root` (version 2 or 1). Not each of them
/// need be there: a container may see its own cgroup as the root of all, whatever its path is
/// outside.
std::vector<std::filesystem::path> processor_cgroups(const std::filesystem::path& root);

}  // namespace gatherbench::bench
