// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

namespace gatherbench::bench {

/// What a folder of /sys holds, sorted; nothing if there is no such folder.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

}  // namespace gatherbench::bench
