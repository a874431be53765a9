// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/copies.h"

namespace gatherbench::mpi {

template <class End>
bool Copies::advance(std::vector<OnItsWay<End>>& transfers) {
  bool moved = false;
  for (OnItsWay<End>& one : transfers) moved = one.end->advance(one.cursor) || moved;
  if (moved) std::erase_if(transfers, [](const auto& one) { return one.cursor.left() == 0; });
  return moved;
}

bool Copies::advance() {
  const bool put = advance(puts_);  // first, since others wait for it
  return advance(takes_) || put;
}

}  // namespace gatherbench::mpi
