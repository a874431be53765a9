// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gatherbench::formats {

/// Returns the bytes that programs on this machine can still take: the kernel's MemAvailable, or
/// less if the process is in a control group (a Slurm job, a container) with a limit.
std::int64_t available_memory();

}  // namespace gatherbench::formats
