// SPDX-License-Identifier: BSD-3-Clause
#include "bench/machine/cpu_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "bench/machine/first_line.h"
#include "text/parse.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

constexpr double no_quota = std::numeric_limits<double>::infinity();

std::optional<double> parse_us(std::string_view text) {
  std::int64_t us = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), us);
  if (parsed.ec != std::errc() || us <= 0) return std::nullopt;
  return static_cast<double>(us);
}

/// In processors; "max" (version 2) and -1 (version 1) are none.
double quotient(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_us(quota_us);
  const auto period = parse_us(period_us);
  return quota && period ? *quota / *period : no_quota;
}

/// Of one cgroup; none if it has no such files.
std::optional<double> quota_of(const fs::path& cgroup) {
  if (const auto both = first_line(cgroup / "cpu.max")) {
    const std::size_t blank = both->find(' ');
    if (blank == both->npos) return no_quota;
    return quotient(std::string_view(*both).substr(0, blank),
                    std::string_view(*both).substr(blank + 1));
  }
  const auto quota = first_line(cgroup / "cpu.cfs_quota_us");
  const auto period = first_line(cgroup / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return quotient(*quota, *period);
}

/// Where the cgroups of a line "9:cpu,cpuacct:/a/b" begin; empty: the line is not of processors.
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

std::string read_cpu_quota(const fs::path& root) {
  std::ifstream stream(root / "proc/self/cgroup");
  std::optional<double> least;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto hierarchy =
        hierarchy_of(std::string_view(line).substr(first + 1, second - first - 1), root);
    if (!hierarchy) continue;
    // A container may see its own cgroup as the root of all, whatever its path is outside.
    fs::path below = fs::path(line.substr(second + 1)).relative_path();
    while (true) {
      if (const auto quota = quota_of(*hierarchy / below)) {
        least = std::min(*quota, least.value_or(no_quota));
      }
      if (below.empty()) break;
      below = below.parent_path();
    }
  }
  if (!least) return {};
  return *least == no_quota ? "none" : fmt::format("{:.4g} processors", *least);
}

}  // namespace gatherbench::bench
