// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/collective.h"
#include "bench/nodes.h"
#include "bench/options.h"
#include "bench/result_file.h"
#include "distributions/block_sizes.h"
#include "topology/switch_tree.h"

namespace gatherbench {

/// What two launches must have alike for their cases to belong into one file. `switches` may be
/// null.
Metadata run_identity(Collective collective, const Options& options, const Nodes& nodes,
                      std::span<const Distribution> distributions, const SwitchTree* switches);

/// What may differ between them: when, where, and in what environment. `command` is the whole line.
Metadata run_circumstances(const std::vector<std::string>& command, const Nodes& nodes);

}  // namespace gatherbench
