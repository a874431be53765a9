// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/memory_policy.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "bench/host/first_line.h"

namespace gatherbench::bench {
namespace {

// In the order of MPOL_DEFAULT, ... of linux/mempolicy.h.
constexpr std::array<std::string_view, 7> policies{
    "default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted-interleave"};

}  // namespace

/// "always [madvise] never": the chosen one is in brackets.
formats::Metadata read_huge_pages(const std::filesystem::path& root) {
  const std::string line =
      first_line(root / "sys/kernel/mm/transparent_hugepage/enabled").value_or("");
  const std::size_t begin = line.find('[');
  const std::size_t end = line.find(']');
  if (begin == line.npos || end == line.npos || end < begin) return {};
  return {{"machine.huge_pages", line.substr(begin + 1, end - begin - 1)}};
}

formats::Metadata describe_numa_policy() {
  int mode = -1;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) != 0) return {};
  constexpr int flags = 0xe000;  // MPOL_F_STATIC_NODES and the like
  const auto policy = static_cast<std::size_t>(mode & ~flags);
  if (mode < 0 || policy >= policies.size()) return {};
  return {{"numa_policy", std::string(policies[policy])}};
}

}  // namespace gatherbench::bench
