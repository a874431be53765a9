// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/collectives/collective.h"
#include "bench/conditions/congestion.h"
#include "bench/options/options.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Throws InputError on every rank alike. Collective over the measured ranks, of which it is.
Setup prepare_setup(Options options, const Congestion& congestion);

}  // namespace gatherbench::bench
