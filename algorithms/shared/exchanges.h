// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "algorithms/algorithm.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

// Exchanges in which each rank sends one block to each other rank: in an all-gather its own, in an
// all-to-all another one to each.
namespace gatherbench::algorithms::exchanges {

/// The block that one rank has for another.
using BlockFor = int(int from, int to, int ranks);
/// Returns the block that a rank sends another one in an all-gather: its own.
inline int own_block(int from, int /*to*/, int /*ranks*/) { return from; }

/// Returns the schedule of one step, in which all messages are in flight at once. Sends are in the
/// order of the ranks from `first` on.
Schedule all_at_once(const Problem& problem, int first, BlockFor* block_for);

/// The means by which steps are kept apart.
enum class Between { nothing, tokens, barrier, some_barriers };

struct Peers {
  int to;
  int from;
};
/// The peers of a rank in step i, from 1 on.
using PeersOf = Peers(int rank, int ranks, int i);
Peers shifted(int r, int p, int i);
Peers paired(int r, int p, int i);

/// Returns the schedule of p-1 steps, in each of which the rank sends and receives one block. They
/// are kept apart as `between` says: tokens take steps between them, and some_barriers means
/// problem.count() barriers.
Schedule one_by_one(const Problem& problem, PeersOf* peers_of, Between between,
                    BlockFor* block_for);

template <PeersOf peers_of, Between between, BlockFor block_for>
Schedule one_by_one(const Problem& problem) {
  return one_by_one(problem, peers_of, between, block_for);
}

inline constexpr Needs power_of_two_from_4{
    "power of two >= 4", [](const Problem& problem) {
      const int p = problem.ranks;
      return limits::unless(limits::is_power_of_two(p) && p >= 4,
                            "a power-of-two number of ranks, 4 or more", problem);
    }};
inline constexpr Needs three_ranks{"p >= 3", [](const Problem& problem) {
                                     return limits::unless(problem.ranks >= 3, "3 or more ranks",
                                                           problem);
                                   }};

inline constexpr Parameter barriers{.name = "n",
                                    .summary = "barriers, 1 to p-2",
                                    .default_value = Count{1},
                                    .max_text = "p-2",
                                    .max = [](std::int64_t ranks) { return ranks - 2; }};

inline constexpr Formula one_step{
    "1", [](const Problem& problem) -> Amount { return problem.ranks > 1 ? 1 : 0; }};
inline constexpr Formula with_tokens_steps{"2p-3", [](const Problem& problem) -> Amount {
                                             return problem.ranks > 1 ? 2 * problem.ranks - 3 : 0;
                                           }};
inline constexpr Formula with_tokens_messages{"p(2p-3)", [](const Problem& problem) -> Amount {
                                                const std::int64_t p = problem.ranks;
                                                return p > 1 ? p * (2 * p - 3) : 0;
                                              }};
inline constexpr Formula barriers_between{"p-2", [](const Problem& problem) -> Amount {
                                            return problem.ranks > 1 ? problem.ranks - 2 : 0;
                                          }};
inline constexpr Formula n_barriers{
    "n", [](const Problem& problem) -> Amount { return problem.count(); }};

// `==` is not used, since for sanitizers it is no constant of functions.
template <PeersOf peers_of>
inline constexpr bool are_pairs = false;
template <>
inline constexpr bool are_pairs<paired> = true;

/// Returns the row of an algorithm with these steps, completed by what follows from them.
template <PeersOf peers_of, Between between, BlockFor block_for>
constexpr Algorithm one_by_one_row(Algorithm row) {
  constexpr bool pairs = are_pairs<peers_of>;
  constexpr bool some_barriers = between == Between::some_barriers;
  constexpr bool tokens = between == Between::tokens;
  if (pairs) row.needs = some_barriers ? power_of_two_from_4 : limits::power_of_two;
  if (!pairs && some_barriers) row.needs = three_ranks;
  if (some_barriers) row.parameters = {barriers};
  row.symmetry = pairs ? Symmetry::bitwise_xor : Symmetry::shift;
  row.growth = Growth::linear;
  row.steps = tokens ? with_tokens_steps : formulas::p_minus_1;
  row.messages = tokens ? with_tokens_messages : formulas::each_block_once;
  row.bytes = formulas::all_bytes;
  if (between == Between::barrier) row.barriers = barriers_between;
  if (some_barriers) row.barriers = n_barriers;
  row.how = Schedules{.of_rank = one_by_one<peers_of, between, block_for>};
  return row;
}

/// Returns the row of an algorithm whose schedule is all_at_once(), completed by what follows from
/// it. Sends begin with the rank after the own one if `spread` is true, otherwise with rank 0.
template <bool spread, BlockFor block_for>
constexpr Algorithm all_at_once_row(Algorithm row) {
  row.symmetry = spread ? Symmetry::shift : Symmetry::ascending;
  row.growth = Growth::linear;  // in messages, of its one step
  row.steps = one_step;
  row.messages = formulas::each_block_once;
  row.bytes = formulas::all_bytes;
  row.how = Schedules{.of_rank = [](const Problem& problem) {
    return all_at_once(problem, spread ? problem.rank : 0, block_for);
  }};
  return row;
}

}  // namespace gatherbench::algorithms::exchanges
