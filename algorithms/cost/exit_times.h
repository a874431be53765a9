// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/cost/models.h"
#include "algorithms/cost/timing.h"
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

/// Returns when each rank leaves the MPI library's broadcast of so many bytes from `root`, in
/// microseconds; `ready_us` is when each rank calls it. The library's algorithm is not known: it is
/// taken as the faster one, for ranks that come together, of a binomial tree and a pipeline along
/// the ranks in as many segments as are best there, (p-2) alpha + 2 sqrt((p-2) alpha n beta) + n
/// beta in all. A rank of the pipeline takes what has come to the one before it as soon as it is
/// there itself. Links are not shared.
std::vector<double> broadcast_exits_us(std::span<const double> ready_us, double bytes,
                                       const Hockney& model, int root = 0);

}  // namespace gatherbench::cost
