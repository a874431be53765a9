// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gatherbench::star {

/// Writes a line on standard error. One call writes the whole of it, so that lines of several ranks
/// do not mix.
inline void say(std::string_view message) {
  const std::string line = "agstar: " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gatherbench::star
