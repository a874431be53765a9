// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gatherbench::trace {

/// The bytes that a call moves, see docs/how-to/trace.md for each operation.
struct Size {
  std::int64_t bytes = 0;
  std::int64_t total_bytes = 0;
};

}  // namespace gatherbench::trace
