// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "algorithms/choice.h"
#include "bench/collective.h"
#include "bench/control_variables.h"
#include "bench/mpi_handles.h"

// The MPI library's own algorithms, "native:NAME": which there are, and how one is chosen. The
// library at hand tells the names itself.
namespace gatherbench {

/// Makes the library's algorithms choosable, if one is among the choices; where the library reads a
/// choice at start only, makes it. Call before MPI_Init. What the user set stays.
void prepare_native_variants(Collective collective, std::span<const Choice> choices);

struct NativeVariants {
  std::vector<std::string> names;  ///< empty: none can be chosen
  bool one_a_launch = false;       ///< chosen at start only
};

/// What the library at hand has.
NativeVariants native_variants(Collective collective);

/// Throws InputError if a choice is none of the library's, or cannot be had in this launch.
void require_native_variants(Collective collective, std::span<const Choice> choices);

/// Empty if the library would run just this algorithm with this many ranks, else why not. Empty for
/// whatever is no "native:NAME".
std::string why_not_native(Collective collective, const Choice& choice, int ranks);

/// What the user should know of a choice made at start; empty if none was.
std::string native_chosen_at_start(Collective collective, std::span<const Choice> choices);

/// A copy of the communicator that carries the choice, if communicators do. Collective.
Communicator native_communicator(Collective collective, const Choice& choice, MPI_Comm comm);

/// What has to be held while the library is called, if it looks at the choice in each call.
std::vector<Setting> native_settings(Collective collective, const Choice& choice);

}  // namespace gatherbench
