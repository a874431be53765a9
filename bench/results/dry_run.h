// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Returns what --dry-run prints.
std::string describe_dry_run(const Setup& setup);

}  // namespace gatherbench::bench
