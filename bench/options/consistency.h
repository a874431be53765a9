// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/options/options.h"
#include "formats/text/option_table.h"

namespace gatherbench::bench {

/// Throws InputError if values of several options do not fit each other, which the rules of single
/// options cannot tell.
void require_consistent(const text::OptionTable& table, const Options& options);

}  // namespace gatherbench::bench
