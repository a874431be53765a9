// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/placement.h"
#include "bench/options/options.h"
#include "bench/plan/cases.h"
#include "bench/plan/groups.h"
#include "bench/plan/way_to_run.h"
#include "distributions/arrivals/prediction.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// An algorithm in a launch: whether it can run here, and its own communicator, so that no messages
/// of two algorithms can meet.
struct Contender {
  algorithms::Choice choice;
  std::string label;
  std::optional<std::string> why_not;  ///< none: it can run with this many ranks
  mpi::Communicator comm;              ///< only if it can run
};

/// The demands of a launch on all contenders.
struct Demands {
  bool in_place = false;
  arrivals::Predictor from = arrivals::Predictor::perfect;
  CallUse use = CallUse::whole;
  BuffersIn buffers_in = BuffersIn::own;
  std::string why_no_pointers = {};  ///< Devices::why_no_pointers
};

/// Throws InputError for a library algorithm that this MPI library has not, for a parameter out of
/// its range, or if none of the choices can run. One can run if it can in each of the groups, which
/// are of every order of the ranks. No communication: `make_communicators` comes later.
std::vector<Contender> find_contenders(const collectives::Collective& collective,
                                       std::span<const algorithms::Choice> choices,
                                       std::span<const Group> groups, const Demands& demands = {});

/// Makes the communicators of the contenders that can run. Collective over `comm`, a group's, in
/// whose order the ranks are numbered.
void make_communicators(const collectives::Collective& collective, std::span<Contender> contenders,
                        MPI_Comm comm);

/// Returns why a contender with its communicator cannot run the case, of whose blocks `layout` is;
/// none if it can.
std::optional<std::string> why_not(const Contender& contender, const Case& the_case,
                                   const mpi::Layout& layout,
                                   const algorithms::Placement& placement);

/// Names the contenders that could run but have no steps, with the reasons; empty: there are none.
std::string algorithms_without_steps(std::span<const Contender> contenders, const Options& options);

/// Returns whether one of the choices has a helper thread.
bool any_has_helper_thread(std::span<const algorithms::Choice> choices, arrivals::Predictor from);

}  // namespace gatherbench::bench
