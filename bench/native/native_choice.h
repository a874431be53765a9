// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"

// These functions make the MPI library run "native:NAME". Libraries look at the choice when they
// start, when a communicator is made, or in each call.
namespace gatherbench::bench {

/// Makes the library's algorithms choosable, if one is among the choices; where the library reads a
/// choice at start only, makes it. Call before MPI_Init. What the user set stays.
void prepare_native_variants(const collectives::Collective& collective,
                             std::span<const algorithms::Choice> choices);

/// Returns what the user should know of a choice made at start; empty if none was.
std::string find_choice_at_start(const collectives::Collective& collective,
                                 std::span<const algorithms::Choice> choices);

/// A copy of the communicator that carries the choice, if communicators do. Collective.
mpi::Communicator make_native_communicator(const collectives::Collective& collective,
                                           const algorithms::Choice& choice, MPI_Comm comm);

/// Returns the settings that have to be held while the library is called, if it looks at the choice
/// in each call.
std::vector<mpi::Setting> find_native_settings(const collectives::Collective& collective,
                                               const algorithms::Choice& choice);

}  // namespace gatherbench::bench
