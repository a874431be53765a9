// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/cpu_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "bench/host/cgroups.h"
#include "bench/host/first_line.h"

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

}  // namespace

std::string read_cpu_quota(const fs::path& root) {
  std::optional<double> least;
  for (const fs::path& cgroup : processor_cgroups(root)) {
    if (const auto quota = quota_of(cgroup)) {
      least = std::min(*quota, least.value_or(no_quota));
    }
  }
  if (!least) return {};
  return *least == no_quota ? "none" : fmt::format("{:.4g} processors", *least);
}

}  // namespace gatherbench::bench
