// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/registry.h"

// What algorithms demand, for the rows of the registry.
namespace gatherbench::algorithms::needs {

extern const Needs even_ranks, power_of_two, power_of_two_from_4, three_ranks;
extern const Needs two_factors, three_factors;        // of the number of ranks
extern const Needs switch_tree, two_hop_switch_tree;  // problem.switches
extern const Needs few_segments;                      // all blocks, cut by the parameter
extern const Needs inner;  // what the inner algorithm demands of the number of nodes

}  // namespace gatherbench::algorithms::needs
