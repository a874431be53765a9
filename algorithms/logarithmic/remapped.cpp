// SPDX-License-Identifier: BSD-3-Clause
//
// Remapped exchanges, the farthest partner first, with one range of blocks in each message: before,
// every rank gives its block to the rank at whose place it has to be, so that what ranks hold later
// are aligned ranges. It costs a step, and most ranks get their own block back.
//   recursive_halving_remap   partners p/2, ..., 2, 1 apart; a rank's place is its number with the
//                             bits in reverse
//   bine_remap                the partners of bine
//
// Steps   log2 p + 1
// Cost    (log2 p + 1) alpha + m beta
// Limits  p is a power of two
// Memory  none beside the receive buffer
// Source  Sack and Gropp 2012, "Faster topology-aware collective algorithms through non-minimal
//         communication"; recexch_halving of MPICH; `send_remap` of libbine (De Sensi et al. 2025)
//
//   p = 8, bine_remap    rank 1, its place is 4           rank 3, its place is 1
//   start                . 1 . . . . . .                  . . . 3 . . . .
//   remap                . 1 . . 4 . . .  ({1} to 3)      . 1 . 3 . . . .  ({3} to 4)
//   step 1               . 1 . . 4 5 . .  (with 6)        0 1 . 3 . . . .  (with 0)
//   step 2               . 1 . . 4 5 6 7  (with 2)        0 1 2 3 . . . .  (with 4)
//   step 3               0 1 2 3 4 5 6 7  (with 0)        0 1 2 3 4 5 6 7  (with 2)
#include <cstdint>

#include "algorithms/logarithmic/bine_partner.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

int reversed_bits(unsigned number, int ranks) {
  unsigned reversed = 0;
  for (int bit = 1; bit < ranks; bit *= 2) {
    reversed = reversed * 2 + number % 2;
    number /= 2;
  }
  return static_cast<int>(reversed);
}

/// Returns the place of the rank for bine: the rank, negative if it is even, is written as a sum of
/// powers of -2, and the Gray code of these bits is read in reverse.
int negabinary_place(int rank, int ranks) {
  constexpr std::uint32_t odd_bits = 0xAAAAAAAAU;
  const auto number = static_cast<std::uint32_t>(rank % 2 == 1 ? rank : -rank);
  const std::uint32_t negabinary =
      ((odd_bits + number) ^ odd_bits) % static_cast<std::uint32_t>(ranks);
  return reversed_bits(negabinary ^ (negabinary >> 1U), ranks);
}

// The orders of the ranks, a power of two of them, in which partners hold neighbouring ranges.
struct Halving {
  static int place(int rank, int ranks) {
    return reversed_bits(static_cast<unsigned>(rank), ranks);
  }
  static int partner(int rank, int /*ranks*/, int s) { return rank ^ (1 << s); }
};
struct Bine {
  static int place(int rank, int ranks) { return negabinary_place(rank, ranks); }
  static int partner(int rank, int ranks, int s) { return bine_partner(rank, ranks, s); }
};

template <typename Mapping>
Schedule remapped(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const int place = Mapping::place(r, p);
  Schedule schedule;
  if (place != r) {
    int holder = 0;
    while (Mapping::place(holder, p) != r) ++holder;
    schedule.begin_step();
    schedule.send(holder, {r, 1});
    schedule.receive(place, {place, 1});
  }
  int s = static_cast<int>(formulas::log2_ceil(p)) - 1;
  for (int held = 1; held < p; held *= 2) {
    const int partner = Mapping::partner(r, p, s--);
    const int first = place - place % held;
    schedule.begin_step();
    schedule.send(partner, {first, held});
    schedule.receive(partner, {first ^ held, held});
  }
  return schedule;
}

template <typename Mapping>
std::int64_t fixed_points(int ranks) {
  std::int64_t fixed = 0;
  for (int rank = 0; rank < ranks; ++rank) fixed += Mapping::place(rank, ranks) == rank ? 1 : 0;
  return fixed;
}

template <typename Mapping>
constexpr Algorithm over(std::string_view name, std::string_view summary, std::string_view source) {
  return {
      .name = name,
      .summary = summary,
      .source = source,
      .needs = limits::power_of_two,
      .moves_twice = true,
      .growth = Growth::logarithmic,
      .steps = Formula{"log2 p + 1 from p = 4 on",
                       [](const Problem& problem) -> Amount {
                         return formulas::log2_ceil(problem.ranks) + (problem.ranks >= 4 ? 1 : 0);
                       }},
      .messages = Formula{"p log2 p + p - f, f = ranks at their places",
                          [](const Problem& problem) -> Amount {
                            const std::int64_t p = problem.ranks;
                            return p * formulas::log2_ceil(p) + p -
                                   fixed_points<Mapping>(problem.ranks);
                          }},
      .bytes = Formula{"(p^2 - f)c",
                       [](const Problem& problem) -> Amount {
                         const std::int64_t p = problem.ranks;
                         return (p * p - fixed_points<Mapping>(problem.ranks)) * problem.bytes(0);
                       }},
      .how = Schedules{.of_rank = remapped<Mapping>}};
}

}  // namespace

extern constinit const Algorithm bine_remap =
    over<Bine>("bine_remap", "bine with blocks moved first, so that all ranges are whole",
               "De Sensi et al. 2025");

extern constinit const Algorithm recursive_halving_remap =
    over<Halving>("recursive_halving_remap",
                  "recursive halving with blocks moved first, so that all ranges are whole",
                  "Sack and Gropp 2012; MPICH");

}  // namespace gatherbench::algorithms
