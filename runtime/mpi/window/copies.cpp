// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/copies.h"

namespace gatherbench::mpi {

template <class End>
bool Copies::advance(std::vector<OnItsWay<End>>& transfers) {
  bool moved = false;
  for (OnItsWay<End>& one : transfers) moved = one.end->advance(one.cursor) || moved;
  const auto ended =
      std::erase_if(transfers, [](const auto& one) { return one.end->has_ended(one.cursor); });
  return moved || ended > 0;
}

bool Copies::advance() {
  const bool put = advance(puts_);  // first, since others wait for it
  return advance(takes_) || put;
}

}  // namespace gatherbench::mpi
