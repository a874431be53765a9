// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/host/nodes.h"
#include "bench/plan/setup.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// Describes what the launch is asked to do, and with what. formats/metadata tells which keys
/// launches must have in common, and for what.
formats::Metadata describe_run(const Setup& setup);

/// Describes when, where, and in what environment it runs. `command` is the whole line.
formats::Metadata describe_circumstances(const std::vector<std::string>& command,
                                         const Nodes& nodes,
                                         const collectives::Collective& collective);

}  // namespace gatherbench::bench
