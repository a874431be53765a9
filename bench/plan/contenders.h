// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/placement.h"
#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/groups.h"
#include "distributions/arrivals/prediction.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// An algorithm in a launch: whether it can run here, and its own communicator, so that no messages
/// of two algorithms can meet.
struct Contender {
  algorithms::Choice choice;
  std::string label;
  std::string reason_unusable;  ///< empty: it can run with this many ranks
  mpi::Communicator comm;       ///< only if it can run

  [[nodiscard]] bool is_library_call() const {
    return choice.algorithm->library_call != algorithms::LibraryCall::none;
  }
};

/// How a launch calls its contenders.
enum class CallUse {
  whole,        ///< call by call
  in_parts,     ///< each call is begun and waited for apart
  in_sequence,  ///< an iteration has many calls, on several communicators
};

/// Throws InputError for a library algorithm that this MPI library has not, for a parameter out of
/// its range, or if none of the choices can run. One can run if it can in each of the groups, which
/// are of every order of the ranks. No communication: `make_communicators` comes later.
/// `use` tells what it has to be able to.
std::vector<Contender> find_contenders(const collectives::Collective& collective,
                                       std::span<const algorithms::Choice> choices,
                                       std::span<const Group> groups, bool in_place = false,
                                       arrivals::Predictor from = arrivals::Predictor::perfect,
                                       CallUse use = CallUse::whole);

/// Collective over `comm`, a group's, in whose order the ranks are numbered.
void make_communicators(const collectives::Collective& collective, std::span<Contender> contenders,
                        MPI_Comm comm);

/// Buffers that a contender needs besides the send and the receive buffer, in bytes on the rank
/// that needs most: an upper bound that costs no schedule of every rank. Without the channels of
/// algorithms by windows (bench/plan/window_room). `layout` is of the blocks of the case.
std::int64_t estimate_extra_bytes(const Contender& contender, const Options& options,
                                  const Case& the_case, const mpi::Layout& layout);

/// Bytes of the blocks that `of_rank` names, on the rank that has most.
std::int64_t max_bytes_of(collectives::BlocksOfRank* of_rank, int ranks, const mpi::Layout& layout);

/// Of a contender with its communicator: empty if it can run the case, of whose blocks `layout` is,
/// else why not.
std::string reason_unusable(const Contender& contender, const Case& the_case,
                            const mpi::Layout& layout, const algorithms::Placement& placement);

/// The sizes of all blocks, as a problem is told them, which they must outlive.
class BlockBytes {
 public:
  explicit BlockBytes(const mpi::Layout& layout)
      : of_each_(layout.is_equal() ? std::vector<std::int64_t>() : layout.block_bytes()),
        equal_(layout.bytes_each()) {}

  void tell(algorithms::Problem& problem) const {
    problem.block_bytes = of_each_;
    if (of_each_.empty()) problem.equal_bytes = equal_;
  }

 private:
  std::vector<std::int64_t> of_each_;  // empty: they are equal
  std::int64_t equal_;
};

/// The problem that a rank's schedule of the algorithm solves. The sizes, which are of all blocks,
/// must outlive it.
algorithms::Problem make_problem(const algorithms::Choice& choice,
                                 const algorithms::Placement& placement,
                                 const BlockBytes& block_bytes, int rank, int ranks);

/// How a choice that selects does it: policies::make_policy() takes it.
std::string_view policy_of(const algorithms::Choice& choice);

/// Why nobody can tell the times of its steps; empty: it runs the same steps of our own in each
/// call (PreparedCall::plan).
std::string_view reason_no_steps(const algorithms::Choice& choice, arrivals::Predictor from);

/// Those that could run, with these reasons; empty: there are none.
std::string algorithms_without_steps(std::span<const Contender> contenders, const Options& options);

/// Whether a helper thread watches the computation and exchanges what it predicts: it can begin an
/// all-gather, so that one always has it; a reduction only where nothing else predicts.
bool has_helper_thread(const algorithms::Algorithm& algorithm, arrivals::Predictor from);
bool any_has_helper_thread(std::span<const algorithms::Choice> choices, arrivals::Predictor from);

}  // namespace gatherbench::bench
