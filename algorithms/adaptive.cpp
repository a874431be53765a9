// SPDX-License-Identifier: BSD-3-Clause
//
// Not one way to move blocks, but a choice among the others that is made while a program runs, as
// libagstar.so makes it. The benchmark drives it; there is no schedule of it.
#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

extern constinit const Algorithm adaptive{
    .name = "adaptive",
    .summary =
        "chooses among the others by the times of its own calls, as libagstar.so does; "
        "adaptive:policy=POLICY says how",
    .source = "Faraj 2006, section 4.3",
    .kind = nullptr,
    .how = Selects{}};

}  // namespace gatherbench::algorithms
