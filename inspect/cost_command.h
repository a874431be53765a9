// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/common.h"

namespace gatherbench::inspect {

/// allgather_schedule cost: prices algorithms by a model, as CSV.
Command add_cost_command(CLI::App& app);

}  // namespace gatherbench::inspect
