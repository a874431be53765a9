// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/say.h"

#include <cstdio>
#include <string>

namespace gatherbench::star {

void say(std::string_view message) {
  // One call writes the whole line, so that lines of several ranks do not mix.
  const std::string line = "agstar: " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gatherbench::star
