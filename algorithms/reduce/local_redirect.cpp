// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks of a binomial tree that find out by their own messages who is there; children that are
// ready at once combine with each other before their parent takes anything. There is no schedule of
// it: runtime/mpi/arrival_aware/local_redirect runs it.
//
// Cost    ceil(log2 p) (3 alpha + m beta + m gamma) if all are there: two tokens a message
// Limits  operators commute
// Memory  a vector for what comes in, and one for what is combined where that is not the root
// Source  ours, after what Marendic et al. 2016 (2, 5.5) tell of their algorithm of 2012
#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

extern constinit const Algorithm reduce_local_redirect{
    .name = "local_redirect",
    .summary =
        "no schedule: the whole vector up a binomial tree, whose ready children combine "
        "with each other",
    .source = "ours, after what Marendic et al. 2016 tell of their algorithm of 2012",
    .kind = &collectives::reduce,
    .how = Redirects{}};

}  // namespace gatherbench::algorithms
