// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/case_result.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace gatherbench::bench {

std::vector<formats::Iteration> Timings::counted() const {
  std::vector<formats::Iteration> found;
  std::ranges::copy_if(iterations, std::back_inserter(found), std::logical_not<>(),
                       &formats::Iteration::late);
  return found;
}

}  // namespace gatherbench::bench
