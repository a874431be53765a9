// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace gatherbench::trace {

struct MessageTime {
  std::int64_t bytes;
  std::int64_t ns;  // one way
};

/// The T of a trace's report, as Faraj 2006 has it. (The `t` of the benchmark's arrival patterns is
/// another: the median time while a message goes the other way as well, message_time.h.)
///
/// What a message takes between the first rank and the last, by size: half the fastest of some
/// round trips. On rank 0; empty on the others and with one rank. Collective; 0.1 s or so.
std::vector<MessageTime> measure_message_times(MPI_Comm world);

}  // namespace gatherbench::trace
