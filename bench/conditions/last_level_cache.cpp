// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/last_level_cache.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

/// "32768K"; 0 for what is no size.
std::int64_t size_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string text;
  stream >> text;
  try {
    return text::parse_bytes("size", text);
  } catch (const text::InputError&) {
    return 0;
  }
}

}  // namespace

std::int64_t last_level_cache(const fs::path& root) {
  std::int64_t largest = 0;
  std::error_code none;
  for (const fs::directory_entry& cpu :
       fs::directory_iterator(root / "sys/devices/system/cpu", none)) {
    if (!cpu.path().filename().string().starts_with("cpu")) continue;
    for (const fs::directory_entry& cache : fs::directory_iterator(cpu.path() / "cache", none)) {
      largest = std::max(largest, size_in(cache.path() / "size"));
    }
  }
  return largest;
}

}  // namespace gatherbench::bench
