// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/common.h"

namespace gatherbench::inspect {

/// allgather_schedule arrivals: prints when every rank arrives in every iteration, as CSV.
Command add_arrivals_command(CLI::App& app);

}  // namespace gatherbench::inspect
