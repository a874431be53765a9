// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/huge_pages.h"

#include <fstream>
#include <sstream>
#include <string>

#include "bench/conditions/user_buffer.h"

namespace gatherbench::bench {

/// The file says "always [madvise] never", with brackets about what the kernel does.
bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  return std::getline(file, line) && line.find("[never]") == std::string::npos;
}

/// A mapping begins with "7f0000000000-7f0000200000 rw-p ...", and lines of values follow it, such
/// as "AnonHugePages:      2048 kB".
std::optional<std::int64_t> huge_bytes_around(const std::byte* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream file("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    char dash = ' ';
    if (words >> std::hex >> first >> dash >> end && dash == '-') {
      is_here = first <= wanted && wanted < end;
      continue;
    }
    std::istringstream value(line);
    std::string name;
    std::int64_t kib = 0;
    constexpr std::int64_t kib_bytes = 1024;
    if (is_here && value >> name >> kib && name == "AnonHugePages:") return kib * kib_bytes;
  }
  return std::nullopt;
}

bool gives_huge_page() {
  const UserBuffer tried(1, {.pages = Pages::huge});
  *tried.data() = std::byte{1};
  return huge_bytes_around(tried.data()).value_or(huge_page_bytes) > 0;
}

}  // namespace gatherbench::bench
