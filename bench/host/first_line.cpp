// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/first_line.h"

#include <fstream>

namespace gatherbench::bench {

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  line.erase(line.find_last_not_of(" \t\r\n") + 1);
  if (line.empty()) return std::nullopt;
  return line;
}

}  // namespace gatherbench::bench
