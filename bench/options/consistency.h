// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/options/option_table.h"
#include "bench/options/options.h"

namespace gatherbench::bench {

/// What no single option can tell: which do not go with each other. Throws InputError.
void require_consistent(const OptionTable& table, const Options& options);

}  // namespace gatherbench::bench
