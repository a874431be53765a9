// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "inspect/common.h"

namespace gatherbench::inspect {

/// allgather_schedule check: proves algorithms; exit code 1 if one is faulty.
Command add_check_command(CLI::App& app);

}  // namespace gatherbench::inspect
