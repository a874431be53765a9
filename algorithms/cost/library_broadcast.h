// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/cost/hockney.h"

namespace gatherbench::cost {

/// Returns when each rank leaves the MPI library's broadcast of so many bytes from rank 0, in
/// microseconds; `ready_us` is when each rank calls it. The library's algorithm is not known: it is
/// taken as the faster one, for ranks that come together, of a binomial tree and a pipeline along
/// the ranks in as many segments as are best there, (p-2) alpha + 2 sqrt((p-2) alpha n beta) + n
/// beta in all. A rank of the pipeline takes what has come to the one before it as soon as it is
/// there itself. Links are not shared.
std::vector<double> broadcast_exits_us(std::span<const double> ready_us, double bytes,
                                       const Hockney& model);

}  // namespace gatherbench::cost
