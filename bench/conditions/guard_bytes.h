// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gatherbench::bench {

/// Bytes behind the receive buffer's blocks, to see whether something is written there.
inline constexpr std::int64_t guard_bytes = 64;

}  // namespace gatherbench::bench
