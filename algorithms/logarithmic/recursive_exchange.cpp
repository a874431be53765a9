// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive exchange of radix k (recursive k-ing): recursive doubling with k partners at a time,
// for any p. The p ranks are put into p' = k^floor(log_k p) groups of neighbours, at most k in
// each; the first rank of a group takes part for all of it. The others fold in before, by sending
// it their block, and fold out after, by receiving everything.
//
// Steps   log_k p' with k-1 partners each; 2 more if p is no power of k
// Cost    (k-1) log_k p' alpha + (p - p/p') m/p beta, and for folding 2 (k-1) alpha + (k-1) m beta
//         at most
// Limits  none
// Memory  none beside the receive buffer; what a rank holds is always one range
// Source  recexch of MPICH, k-nomial all-gather of UCC; k = 2 and p a power of two is recursive
//         doubling (Loch 2021, section 2.4.3)
//
//   p = 5, k = 2, p' = 4: groups {0 1} {2} {3} {4}
//   blocks held     rank 0       rank 1       rank 2       rank 3       rank 4
//   start           0 . . . .    . 1 . . .    . . 2 . .    . . . 3 .    . . . . 4
//   fold in         0 1 . . .    . 1 . . .    . . 2 . .    . . . 3 .    . . . . 4
//   exchange        0 1 2 . .    . 1 . . .    0 1 2 . .    . . . 3 4    . . . 3 4
//   exchange        0 1 2 3 4    . 1 . . .    0 1 2 3 4    0 1 2 3 4    0 1 2 3 4
//   fold out        0 1 2 3 4    0 1 2 3 4    0 1 2 3 4    0 1 2 3 4    0 1 2 3 4
#include <algorithm>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

/// `groups` groups of neighbouring ranks, the larger ones first.
struct Groups {
  int ranks;
  int groups;
  [[nodiscard]] int larger() const { return ranks % groups; }
  /// Returns the first rank of group g, or the number of ranks for g = groups.
  [[nodiscard]] int first(int g) const { return g * (ranks / groups) + std::min(g, larger()); }
  [[nodiscard]] int of(int rank) const {
    const int size = ranks / groups;
    const int in_larger = larger() * (size + 1);
    return rank < in_larger ? rank / (size + 1) : larger() + (rank - in_larger) / size;
  }
  /// Returns the blocks of `count` groups from g on.
  [[nodiscard]] BlockRange blocks(int g, int count) const {
    return {first(g), first(g + count) - first(g)};
  }
};

/// The largest power of k that is no more than p, and its exponent.
struct Power {
  std::int64_t value = 1;
  std::int64_t exponent = 0;
};
Power power_of(const Problem& problem) {
  Power found;
  while (found.value * problem.count() <= problem.ranks) {
    found.value *= problem.count();
    ++found.exponent;
  }
  return found;
}

Schedule recursive_exchange_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const std::int64_t k = problem.count();
  const std::int64_t power = power_of(problem).value;
  const Groups groups{p, static_cast<int>(power)};
  const int own = groups.of(r);
  const int first = groups.first(own);
  const int end = groups.first(own + 1);

  Schedule schedule;
  if (r != first) {
    schedule.begin_step();
    schedule.send(first, {r, 1});
    schedule.begin_step();
    schedule.receive(first, {0, p});
    return schedule;
  }
  if (end - first > 1) {
    schedule.begin_step();
    for (int folded = first + 1; folded < end; ++folded) schedule.receive(folded, {folded, 1});
  }
  for (std::int64_t distance = 1; distance < power; distance *= k) {
    const auto held = static_cast<int>(distance);
    const auto digit = static_cast<int>(own / distance % k);
    const int aligned = own - own % held;
    schedule.begin_step();
    for (int i = 1; i < k; ++i) {
      const int to = own + ((digit + i) % static_cast<int>(k) - digit) * held;
      const int from =
          own + ((digit - i + static_cast<int>(k)) % static_cast<int>(k) - digit) * held;
      schedule.send(groups.first(to), groups.blocks(aligned, held));
      schedule.receive(groups.first(from), groups.blocks(from - from % held, held));
    }
  }
  if (end - first > 1) {
    schedule.begin_step();
    for (int folded = first + 1; folded < end; ++folded) schedule.send(folded, {0, p});
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm recursive_exchange{
    .name = "recursive_exchange",
    .summary = "recursive doubling of radix k, any p, by folding in and out",
    .source = "MPICH; UCC",
    .parameters = {radix},
    .moves_twice = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"floor(logk p) (+2)",
                     [](const Problem& problem) -> Amount {
                       const Power power = power_of(problem);
                       return power.exponent + (power.value < problem.ranks ? 2 : 0);
                     }},
    .messages = Formula{"q(k-1) logk q + 2(p-q), q = k^floor(logk p)",
                        [](const Problem& problem) -> Amount {
                          const auto [q, exponent] = power_of(problem);
                          return q * (problem.count() - 1) * exponent + 2 * (problem.ranks - q);
                        }},
    .bytes = Formula{"(p^2-q)c",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       return (p * p - power_of(problem).value) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = recursive_exchange_schedule}};

}  // namespace gatherbench::algorithms
