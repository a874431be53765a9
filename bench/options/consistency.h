// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/options/options.h"
#include "formats/text/option_table.h"

namespace gatherbench::bench {

/// What the rules of single options cannot tell: values that do not fit each other. Throws
/// InputError.
void require_consistent(const text::OptionTable& table, const Options& options);

}  // namespace gatherbench::bench
