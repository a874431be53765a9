// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gatherbench::text {

/// Throws std::system_error if not all that was printed on standard output has gone out, as on a
/// full disk: what is short is in stdio's buffer until then.
inline void require_printed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace gatherbench::text
