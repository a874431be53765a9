// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

#include "formats/write_all.h"

namespace gatherbench::star {

/// Writes a line on standard error. One call writes the whole of it, so that lines of several ranks
/// do not mix.
inline void say(std::string_view message) {
  formats::write_all(STDERR_FILENO, "agstar: " + std::string(message) + "\n");
}

}  // namespace gatherbench::star
