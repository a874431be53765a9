// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/copies.h"

namespace gatherbench::mpi {
namespace {

/// A receiver that has to read first what another rank of the list sends later would wait for ever
/// if bytes moved to all receivers or to none. So they go by way of slots, which are each
/// receiver's own, after so many attempts.
constexpr int most_waits = 1000;

}  // namespace

void Copies::put(std::span<PutEnd* const> to, std::span<const Strided> pieces, Stage& stage) {
  const Cursor cursor(pieces);
  const std::size_t least = to.size() > 1 ? Stage::least_for_several : Stage::least_for_one;
  if (cursor.left() >= least && !to.front()->can_lend(cursor.run())) {
    staged_.push_back({to, cursor, &stage});
  } else {
    put_by_slots(to, cursor);
  }
}

void Copies::put_by_slots(std::span<PutEnd* const> to, const Cursor& cursor) {
  for (PutEnd* const end : to) puts_.push_back({end, cursor});
}

template <class End>
bool Copies::advance(std::vector<OnItsWay<End>>& transfers) {
  bool moved = false;
  for (OnItsWay<End>& one : transfers) moved = one.end->advance(one.cursor) || moved;
  const auto ended =
      std::erase_if(transfers, [](const auto& one) { return one.end->has_ended(one.cursor); });
  return moved || ended > 0;
}

bool Copies::advance_staged() {
  bool moved = false;
  for (Staged& one : staged_) {
    while (one.cursor.left() > 0 && one.stage->put(one.cursor, one.to)) {
      one.waits = 0;
      moved = true;
    }
    ++one.waits;
  }
  std::erase_if(staged_, [this](const Staged& one) {
    const bool gives_up = one.waits > most_waits && one.cursor.left() > 0;
    if (gives_up) put_by_slots(one.to, one.cursor);
    return gives_up || one.cursor.left() == 0;
  });
  return moved;
}

bool Copies::advance() {
  // Puts go first, since others wait for them.
  const bool staged = !staged_.empty() && advance_staged();
  const bool put = advance(puts_);
  return advance(takes_) || put || staged;
}

}  // namespace gatherbench::mpi
