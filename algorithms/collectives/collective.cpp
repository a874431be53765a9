// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/collectives/collective.h"

#include <array>

namespace gatherbench::collectives {

namespace {

template <typename... Collectives>
constexpr auto addresses_of(const Collectives&... collectives) {
  return std::array{&collectives...};
}

// clang-format off
constexpr std::array table = addresses_of(
#include "algorithms/collectives/all_collectives.inc"
);
// clang-format on

}  // namespace

bool Collective::gathers() const { return kind == allgather.kind; }

std::span<const Collective* const> collective_table() { return table; }

}  // namespace gatherbench::collectives
