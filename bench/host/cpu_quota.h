// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace gatherbench::bench {

/// How much processor time a cgroup leaves this process: "1.5 processors", or "none" where no
/// quota is set. The smallest of its cgroup and those above it, of `proc/self/cgroup` and
/// `sys/fs/cgroup` below `root` (version 2 or 1). Empty: the kernel does not tell.
std::string read_cpu_quota(const std::filesystem::path& root);

}  // namespace gatherbench::bench
