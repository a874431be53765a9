// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <variant>

#include "algorithms/collectives/collective.h"
#include "bench/options/options.h"

namespace gatherbench::bench {

/// Instead of a run: print this and leave with this exit code (--help, --version, a bad option).
struct Ending {
  std::string text;
  int exit_code;
  std::string config = {};  ///< the file of --config; empty: none
};

/// Reads the command line and the file of --config, with no MPI. That file may be another one on
/// each rank.
std::variant<Options, Ending> parse_options(const collectives::Collective& collective, int argc,
                                            char** argv);

}  // namespace gatherbench::bench
