// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/kernel_files.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

/// Returns the folder in which the cgroups of a line "9:cpu,cpuacct:/a/b" begin; none if the line
/// is not about processors.
std::optional<fs::path> hierarchy_of(std::string_view controllers, const fs::path& root) {
  fs::path mounted = root / "sys/fs/cgroup";
  if (controllers.empty()) return mounted;
  const std::vector<std::string_view> names = text::split(controllers, ',');
  if (std::ranges::find(names, "cpu") == names.end()) return std::nullopt;
  std::error_code none;
  const fs::path joint = mounted / controllers;
  return fs::exists(joint, none) ? joint : mounted / "cpu";
}

}  // namespace

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  if (line.empty()) return std::nullopt;
  return line;
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> processor_cgroups(const fs::path& root) {
  std::vector<fs::path> found;
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto hierarchy =
        hierarchy_of(std::string_view(line).substr(first + 1, second - first - 1), root);
    if (!hierarchy) continue;
    for (fs::path below = fs::path(line.substr(second + 1)).relative_path(); !below.empty();
         below = below.parent_path()) {
      found.push_back(*hierarchy / below);
    }
    found.push_back(*hierarchy);
  }
  return found;
}

}  // namespace gatherbench::bench
