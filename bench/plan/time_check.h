// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/plan/setup.h"

// These functions throw InputError where a launch would take longer than its user can have meant.
// They do nothing in a simulation.
namespace gatherbench::bench {

/// An iteration in which ranks compute and are late for longer than --timeout: the watchdog would
/// end the run there.
void require_time(const Setup& setup);

/// Cases that are not done in any sensible time.
void require_expected_times(const Setup& setup);

}  // namespace gatherbench::bench
