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
};

/// Reads the command line, with no MPI: the same on every rank.
std::variant<Options, Ending> parse_options(const collectives::Collective& collective, int argc,
                                            char** argv);

}  // namespace gatherbench::bench
