// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/common.h"

namespace gatherbench::inspect {

/// allgather_schedule distributions: prints the size of every block, as CSV.
Command add_distributions_command(CLI::App& app);

}  // namespace gatherbench::inspect
