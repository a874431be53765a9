// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "algorithms/cost/timing_model.h"
#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// Predictions of exits (problem.exits_us) for the algorithms that choose by them.
namespace gatherbench::cost {

/// Returns exit times by this model, whatever the problem's own times are. The objects that the
/// model points to must outlive the result.
algorithms::ExitTimes exit_times(const TimingModel& model);

/// Returns exit times by the problem's own times: a message without bytes takes start_us, one of
/// the blocks' mean size message_us, or start_us if that is more. Messages wait for their receivers
/// (Sends::rendezvous).
const algorithms::ExitTimes& exit_times_of_messages();

/// The same, where the times of messages of several blocks are known too. They grow in bytes, and
/// the first is longer than the blocks' mean size.
algorithms::ExitTimes exit_times_of_messages(std::vector<MessageTime> longer);

}  // namespace gatherbench::cost
