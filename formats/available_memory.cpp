// SPDX-License-Identifier: BSD-3-Clause
#include "formats/available_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gatherbench::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::int64_t number = 0;
  std::ifstream stream(file);
  if (stream >> number) return number;
  return std::nullopt;  // no such file, or "max"
}

std::int64_t kernel_available() {
  std::ifstream stream("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (stream >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(stream, unit);
  }
  return unlimited;
}

/// Returns the bytes of page cache that a group's usage includes, and that the kernel drops when
/// programs want memory; 0 if the file has no such key.
std::int64_t droppable_cache(const fs::path& stat_file, std::string_view key) {
  std::ifstream stream(stat_file);
  std::string name;
  std::int64_t bytes = 0;
  while (stream >> name >> bytes) {
    if (name == key) return bytes;
  }
  return 0;
}

/// The files of a control group, by the version of the interface.
struct GroupFiles {
  const char* root;
  const char* limit;
  const char* usage;
  const char* cache_key;
};
constexpr GroupFiles version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

/// Returns the memory that the control groups from `group` up to the root leave.
std::int64_t group_available(const GroupFiles& files, fs::path group) {
  std::int64_t least = unlimited;
  for (;;) {
    const fs::path folder = files.root / group.relative_path();
    const auto limit = number_in(folder / files.limit);
    const auto usage = number_in(folder / files.usage);
    if (limit && usage) {
      const std::int64_t cache = droppable_cache(folder / "memory.stat", files.cache_key);
      least = std::min(least, std::max<std::int64_t>(0, *limit - *usage + cache));
    }
    if (!group.has_relative_path()) return least;
    group = group.parent_path();
  }
}

}  // namespace

std::int64_t available_memory() {
  std::int64_t available = kernel_available();
  // The file has lines "0::/group" (version 2) and "4:memory:/group" (version 1).
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      available = std::min(available, group_available(version_2, group));
    } else if (controllers == "memory") {
      available = std::min(available, group_available(version_1, group));
    }
  }
  return available;
}

}  // namespace gatherbench::formats
