// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/entries.h"

#include <algorithm>
#include <system_error>

namespace gatherbench::bench {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace gatherbench::bench
