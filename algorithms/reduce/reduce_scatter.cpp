// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduce/reduce_scatter.h"

#include <bit>

namespace gatherbench::algorithms {

void add_ring_reduce_scatter(Schedule& schedule, const Problem& problem) {
  const int p = problem.ranks;
  const int rank = problem.rank;
  for (int step = 0; step < p - 1; ++step) {
    schedule.begin_step();
    schedule.send((rank + 1) % p, {(rank - 1 - step + 2 * p) % p, 1});
    schedule.receive((rank + p - 1) % p, {(rank - 2 - step + 2 * p) % p, 1},
                     Incoming::combine_before);
  }
}

FoldedRanks::FoldedRanks(int ranks) {
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  pairs_ = ranks - power;
  for (int place = 0; place < power; ++place) {
    members_.push_back(place < pairs_ ? 2 * place : place + pairs_);
  }
}

void FoldedRanks::fold_in(Schedule& schedule, int rank, BlockRange blocks) const {
  if (!is_paired(rank)) return;
  schedule.begin_step();
  if (is_out(rank)) {
    schedule.send(rank - 1, blocks);
  } else {
    schedule.receive(rank + 1, blocks, Incoming::combine_behind);
  }
}

void FoldedRanks::fold_out(Schedule& schedule, int rank, BlockRange blocks) const {
  if (!is_paired(rank)) return;
  schedule.begin_step();
  if (is_out(rank)) {
    schedule.receive(rank - 1, blocks);
  } else {
    schedule.send(rank + 1, blocks);
  }
}

void add_recursive_halving(Schedule& schedule, const FoldedRanks& members, int place) {
  int first = 0;
  for (int half = members.size() / 2; half >= 1; half /= 2) {
    const int partner = place ^ half;
    const bool keeps_low = place < partner;
    const BlockRange kept{keeps_low ? first : first + half, half};
    const BlockRange given{keeps_low ? first + half : first, half};
    schedule.begin_step();
    schedule.send(members.at(partner), given);
    schedule.receive(members.at(partner), kept,
                     keeps_low ? Incoming::combine_behind : Incoming::combine_before);
    first = kept.first;
  }
}

}  // namespace gatherbench::algorithms
