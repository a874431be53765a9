// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace gatherbench::bench {

/// Bytes of the largest cache of this node's processors, from the kernel's files in
/// `sys/devices/system/cpu` below `root`; 0 where they do not tell (some virtual machines).
std::int64_t last_level_cache(const std::filesystem::path& root = "/");

}  // namespace gatherbench::bench
