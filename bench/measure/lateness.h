// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "formats/iteration.h"

namespace gatherbench::bench {

/// Sets `late` in those of an algorithm's iterations in a case in which a rank began more than a
/// tolerance after its agreed start (`behind_us`), whether it came too late or lost its processor
/// while it waited. The tolerance is 5 % of the median `avg_us` of them all, and no less than four
/// readings of the clock: whoever watches a clock sees a time after one reading at best, and takes
/// another. A rank's lateness is by its own clock, so no error of the common clock is in it.
void mark_late(std::vector<formats::Iteration>& iterations, double clock_reading_us);

/// Measures the time between two successive readings of the steady clock with nothing in between.
double measure_clock_reading_us();

}  // namespace gatherbench::bench
