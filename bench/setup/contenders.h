// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "algorithms/placement.h"
#include "bench/collective.h"
#include "bench/measure/runner.h"
#include "bench/options/options.h"
#include "mpi/global_clock.h"
#include "mpi/handles.h"

namespace gatherbench::bench {

/// An algorithm in a launch: whether it can run here, and its own communicator, so that no messages
/// of two algorithms can meet.
struct Contender {
  algorithms::Choice choice;
  std::string label;
  std::string why_not;     ///< empty: it can run with this many ranks
  mpi::Communicator comm;  ///< only if it can run
};

/// Throws InputError for a library algorithm that this MPI library has not, for a parameter out of
/// its range, or if none of the choices can run. Whether one can run does not depend on how the
/// ranks of `placement` are numbered. No communication: `make_communicators` comes later.
std::vector<Contender> find_contenders(Collective collective,
                                       std::span<const algorithms::Choice> choices, int ranks,
                                       const algorithms::Placement& placement);

/// Collective over `comm`, in whose order the ranks are numbered.
void make_communicators(Collective collective, std::span<Contender> contenders, MPI_Comm comm);

/// Buffers that a contender needs besides the send and the receive buffer, in bytes on the rank
/// that needs most: an upper bound that costs no schedule of every rank.
std::int64_t extra_bytes(const Contender& contender, const Options& options,
                         const mpi::Layout& layout);

/// Empty if the contender can run this layout, else why not.
std::string why_not(const Contender& contender, const mpi::Layout& layout,
                    const algorithms::Placement& placement);

/// For algorithms that predict arrivals.
struct Prediction {
  double message_us = 0;  ///< time of a block's message; 0: they measure it where they need it
  const mpi::GlobalClock* clock = nullptr;  ///< null: they make their own
};

/// The buffers of a case on one rank, and what more that algorithms need is taken from.
struct CaseMemory {
  const std::byte* send;  ///< null in place
  std::byte* receive;
  mpi::Memory memory = mpi::Memory::own;
};

/// Everything prepared for one case. The contender can run it.
Runner prepare(const Contender& contender, Collective collective, const Options& options,
               const mpi::Layout& layout, const algorithms::Placement& placement,
               const CaseMemory& buffers, const Prediction& prediction = {});

/// Whether one of them predicts arrivals, by a thread of its own.
bool any_predicts(std::span<const algorithms::Choice> choices);

}  // namespace gatherbench::bench
