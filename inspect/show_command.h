// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/common.h"

namespace gatherbench::inspect {

/// allgather_schedule show: prints who sends which blocks to whom in each step.
Command add_show_command(CLI::App& app);

}  // namespace gatherbench::inspect
