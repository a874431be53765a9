// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/host/nodes.h"
#include "bench/plan/setup.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// What the launch is asked to do, and with what. Which of it launches must have in common, and for
/// what, tells formats/metadata.
formats::Metadata describe_run(const Setup& setup);

/// When, where, and in what environment it runs. `command` is the whole line.
formats::Metadata describe_circumstances(const std::vector<std::string>& command,
                                         const Nodes& nodes,
                                         const collectives::Collective& collective);

}  // namespace gatherbench::bench
