// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/results/result_file.h"
#include "bench/setup/launch.h"
#include "bench/setup/nodes.h"

namespace gatherbench::bench {

/// What two launches must have alike for their cases to belong into one file.
Metadata run_identity(const Launch& launch);

/// What may differ between them: when, where, and in what environment. `command` is the whole line.
Metadata run_circumstances(const std::vector<std::string>& command, const Nodes& nodes);

}  // namespace gatherbench::bench
