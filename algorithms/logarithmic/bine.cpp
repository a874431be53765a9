// SPDX-License-Identifier: BSD-3-Clause
//
// Bine (binomial negabinary trees; on a ring the all-gather of Swing): partners at distances ...,
// 11, -5, 3, -1, 1, the farthest first, alternately to one side and to the other, while the data
// doubles. Most bytes travel a shorter way than at distances that are powers of two. A rank gives
// its partner those of its blocks that the partner has not, in the order in which they came. If p
// is odd, the last rank gives its block to the one before, and gets all others from it at the end.
//
// Steps   ceil(log2 p) for even p, ceil(log2(p-1)) + 2 for odd p
// Cost    ceil(log2 p) alpha + (p-1) m/p beta for even p
// Limits  none
// Memory  none beside the receive buffer
// Source  De Sensi et al. 2024, "Swing: short-cutting rings for higher bandwidth allreduce"; De
//         Sensi et al. 2025, "Bine trees: enhancing collective operations by optimizing
//         communication locality". Which blocks to give where p is no power of two is ours: libbine
//         sends blocks that a rank does not hold at some even p, of which the first is 74.
//
//   p = 8, blocks held   rank 0                       rank 1
//   start                0 . . . . . . .              . 1 . . . . . .
//   step 0               0 . . 3 . . . .  (with 3)    . 1 . . . . 6 .  (with 6)
//   step 1               0 . . 3 4 . . 7  (with 7)    . 1 2 . . 5 6 .  (with 2)
//   step 2               0 1 2 3 4 5 6 7  (with 1)    0 1 2 3 4 5 6 7  (with 0)
#include <vector>

#include "algorithms/logarithmic/bine_partner.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// The blocks that an even rank holds and gives, as distances from it; odd ranks mirror that.
class Offsets {
 public:
  explicit Offsets(int ranks) : ranks_(ranks), is_held_(static_cast<std::size_t>(ranks), false) {
    hold(0);
  }
  /// Returns the blocks that it gives in step s; then it holds those that it gets for them.
  std::vector<int> exchange(int s) {
    const auto distance = static_cast<int>(bine_distance(s) % ranks_);
    const auto of_partner = [&](int offset) { return (distance - offset + 2 * ranks_) % ranks_; };
    std::vector<int> given;
    for (const int offset : held_) {
      if (!is_held_[static_cast<std::size_t>(of_partner(offset))]) given.push_back(offset);
    }
    for (const int offset : given) hold(of_partner(offset));
    return given;
  }

 private:
  void hold(int offset) {
    held_.push_back(offset);
    is_held_[static_cast<std::size_t>(offset)] = true;
  }

  int ranks_;
  std::vector<int> held_;
  std::vector<bool> is_held_;
};

/// Adds an exchange among the first `even` ranks. The last one of these has the block of the rank
/// beyond, if any.
void add_exchange(Schedule& schedule, const Problem& problem, int even) {
  const auto blocks = [&](int owner, int offset) {
    const int block = (owner + (owner % 2 == 0 ? offset : even - offset)) % even;
    return BlockRange{block, block == even - 1 ? problem.ranks - block : 1};
  };
  Offsets offsets(even);
  for (int s = static_cast<int>(formulas::log2_ceil(even)) - 1; s >= 0; --s) {
    const int partner = bine_partner(problem.rank, even, s);
    schedule.begin_step();
    for (const int offset : offsets.exchange(s)) {
      schedule.send(partner, blocks(problem.rank, offset));
      schedule.receive(partner, blocks(partner, offset));
    }
  }
}

Schedule bine_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  if (p == 1) return schedule;
  const bool folds = p % 2 == 1;
  const int last = p - 1;
  if (folds && r == last) {
    schedule.begin_step();
    schedule.send(last - 1, {last, 1});
    schedule.begin_step();
    schedule.receive(last - 1, {0, last});
    return schedule;
  }
  if (folds && r == last - 1) {
    schedule.begin_step();
    schedule.receive(last, {last, 1});
  }
  add_exchange(schedule, problem, folds ? last : p);
  if (folds && r == last - 1) {
    schedule.begin_step();
    schedule.send(last, {0, last});
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm bine{
    .name = "bine",
    .summary = "exchange at alternating distances, the farthest first",
    .source = "De Sensi et al. 2024; De Sensi et al. 2025",
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(log2 p), ceil(log2(p-1)) + 2 if p is odd",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       if (p == 1) return 0;
                       return p % 2 == 0 ? formulas::log2_ceil(p) : formulas::log2_ceil(p - 1) + 2;
                     }},
    .messages = formulas::no_closed_form,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = bine_schedule}};

}  // namespace gatherbench::algorithms
