// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/collective.h"

#include <array>

namespace gatherbench::collectives {

std::span<const Collective* const> collective_table() {
  static constexpr std::array all{&allgather, &allgatherv};
  return all;
}

}  // namespace gatherbench::collectives
