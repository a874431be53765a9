// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace gatherbench::bench {

/// What is measured: one value for each executable.
enum class Collective { allgather, allgatherv };

struct CollectiveNames {
  std::string_view name;        ///< in results
  std::string_view executable;  ///< in messages
  std::string_view title;       ///< in OSU's title line
};

constexpr CollectiveNames names_of(Collective collective) {
  return collective == Collective::allgather
             ? CollectiveNames{"allgather", "allgather_bench", "Allgather"}
             : CollectiveNames{"allgatherv", "allgatherv_bench", "Allgatherv"};
}

}  // namespace gatherbench::bench
