// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/formulas.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "algorithms/binomial_tree.h"
#include "algorithms/choice.h"
#include "algorithms/mesh.h"
#include "algorithms/node_groups.h"

namespace gatherbench::algorithms::formulas {
namespace {

using Count = std::optional<std::int64_t>;

std::int64_t p_of(const Problem& problem) { return problem.ranks; }

std::int64_t log2_ceil(std::int64_t number) {
  return std::bit_width(static_cast<std::uint64_t>(number) - 1);
}

/// Messages that one rank of bruck sends, and its steps.
struct Radix {
  std::int64_t messages = 0;
  std::int64_t steps = 0;
};
Radix radix(const Problem& problem) {
  Radix counted;
  for (std::int64_t distance = 1; distance < p_of(problem); distance *= problem.parameter) {
    ++counted.steps;
    counted.messages += std::min(problem.parameter - 1, (p_of(problem) - 1) / distance);
  }
  return counted;
}

/// The largest power of k that is no more than p, and its exponent.
struct Power {
  std::int64_t value = 1;
  std::int64_t exponent = 0;
};
Power power(const Problem& problem) {
  Power found;
  while (found.value * problem.parameter <= p_of(problem)) {
    found.value *= problem.parameter;
    ++found.exponent;
  }
  return found;
}

std::int64_t segments(const Problem& problem) {
  return (problem.bytes(0) + problem.parameter - 1) / problem.parameter;
}

/// A formula of the inner algorithm, for as many ranks as there are nodes.
Count of_inner(const Formula* Algorithm::*formula, const Problem& problem, int nodes) {
  const Algorithm& inner = all_algorithms()[static_cast<std::size_t>(problem.parameter)];
  return (inner.*formula)->at(problem_for(choice_of(inner), nodes));
}

}  // namespace

const Formula one{"1", [](const Problem& problem) -> Count { return p_of(problem) > 1 ? 1 : 0; }};
const Formula two{"2", [](const Problem&) -> Count { return 2; }};
const Formula three{"3", [](const Problem&) -> Count { return 3; }};
const Formula p_minus_1{"p-1", [](const Problem& problem) -> Count { return p_of(problem) - 1; }};
const Formula half_p{"p/2", [](const Problem& problem) -> Count { return p_of(problem) / 2; }};
const Formula log2_p{"log2 p",
                     [](const Problem& problem) -> Count { return log2_ceil(p_of(problem)); }};
const Formula ceil_log2_p{"ceil(log2 p)", log2_p.at};
const Formula each_block_once{
    "p(p-1)", [](const Problem& problem) -> Count { return p_of(problem) * (p_of(problem) - 1); }};
const Formula pairs_of_blocks{
    "p^2/2", [](const Problem& problem) -> Count { return p_of(problem) * p_of(problem) / 2; }};
const Formula all_bytes{"p(p-1)c", [](const Problem& problem) -> Count {
                          return p_of(problem) * (p_of(problem) - 1) * problem.bytes(0);
                        }};

const Formula with_tokens_steps{"2p-3", [](const Problem& problem) -> Count {
                                  return p_of(problem) > 1 ? 2 * p_of(problem) - 3 : 0;
                                }};
const Formula with_tokens_messages{"p(2p-3)", [](const Problem& problem) -> Count {
                                     const std::int64_t p = p_of(problem);
                                     return p > 1 ? p * (2 * p - 3) : 0;
                                   }};
const Formula barriers_between{"p-2", [](const Problem& problem) -> Count {
                                 return p_of(problem) > 1 ? p_of(problem) - 2 : 0;
                               }};
const Formula n_barriers{"n", [](const Problem& problem) -> Count { return problem.parameter; }};

const Formula radix_steps{"ceil(logk p)",
                          [](const Problem& problem) -> Count { return radix(problem).steps; }};
const Formula radix_messages{
    "p M, M = sum over s of min(k-1, (p-1)/k^s)",
    [](const Problem& problem) -> Count { return p_of(problem) * radix(problem).messages; }};
// Of the n blocks that a message has, a range wraps at n-1 ranks.
const Formula radix_messages_in_place{"(p-1)(M+1), M of bruck",
                                      [](const Problem& problem) -> Count {
                                        return (p_of(problem) - 1) * (radix(problem).messages + 1);
                                      }};
const Formula recursive_doubling_messages{"p log2 p", [](const Problem& problem) -> Count {
                                            return p_of(problem) * log2_ceil(p_of(problem));
                                          }};

const Formula mesh2d_messages{"p(x+y-2)", [](const Problem& problem) -> Count {
                                const auto [x, y] = mesh_sides_2d(problem.ranks);
                                return p_of(problem) * (x + y - 2);
                              }};
const Formula mesh3d_messages{"p(x+y+z-3)", [](const Problem& problem) -> Count {
                                const auto [x, y, z] = mesh_sides_3d(problem.ranks);
                                return p_of(problem) * (x + y + z - 3);
                              }};

const Formula gather_bcast_steps{
    "2 ceil(log2 p)", [](const Problem& problem) -> Count { return 2 * log2_ceil(p_of(problem)); }};
const Formula gather_bcast_messages{
    "2(p-1)", [](const Problem& problem) -> Count { return 2 * (p_of(problem) - 1); }};
const Formula gather_bcast_bytes{"(p(p-1)+G(p))c, G = sum of min(lowest bit of r, p-r), 0 < r < p",
                                 [](const Problem& problem) -> Count {
                                   const std::int64_t p = p_of(problem);
                                   return (p * (p - 1) + binomial_gather_blocks(p)) *
                                          problem.bytes(0);
                                 }};
const Formula linear_gather_steps{"1, MPI_Bcast", one.at};
const Formula linear_gather_messages{"p-1, MPI_Bcast", p_minus_1.at};
const Formula linear_gather_bytes{"(p-1)c, MPI_Bcast", [](const Problem& problem) -> Count {
                                    return (p_of(problem) - 1) * problem.bytes(0);
                                  }};

// The parameter is the short part of a block.
const Formula sorted_gather_steps{
    "max(p, 3), or max(p-1, 2) if c <= head; MPI_Bcast", [](const Problem& problem) -> Count {
      if (problem.ranks == 1) return 0;
      return problem.bytes(0) > problem.parameter ? std::max<std::int64_t>(p_of(problem), 3)
                                                  : std::max<std::int64_t>(p_of(problem) - 1, 2);
    }};
const Formula sorted_gather_messages{
    "3(p-1), or 2(p-1) if c <= head; MPI_Bcast", [](const Problem& problem) -> Count {
      return (problem.bytes(0) > problem.parameter ? 3 : 2) * (p_of(problem) - 1);
    }};
const Formula ring_steps_at_once{
    "p-1 if all arrive at once", [](const Problem& problem) -> Count {
      const bool at_once = std::ranges::adjacent_find(problem.arrival_us, std::not_equal_to{}) ==
                           problem.arrival_us.end();
      if (!at_once && problem.message_us > 0) return std::nullopt;
      return p_of(problem) - 1;
    }};

const Formula recursive_exchange_steps{"floor(logk p) (+2)", [](const Problem& problem) -> Count {
                                         const Power whole = power(problem);
                                         return whole.exponent +
                                                (whole.value < p_of(problem) ? 2 : 0);
                                       }};
const Formula recursive_exchange_messages{
    "q(k-1) logk q + 2(p-q), q = k^floor(logk p)", [](const Problem& problem) -> Count {
      const Power whole = power(problem);
      return whole.value * (problem.parameter - 1) * whole.exponent +
             2 * (p_of(problem) - whole.value);
    }};
const Formula recursive_exchange_bytes{
    "(p^2-q)c", [](const Problem& problem) -> Count {
      return (p_of(problem) * p_of(problem) - power(problem).value) * problem.bytes(0);
    }};

const Formula segment_steps{"(p-1) ceil(c/segment)", [](const Problem& problem) -> Count {
                              return (p_of(problem) - 1) * segments(problem);
                            }};
const Formula segment_messages{"p(p-1) ceil(c/segment)", [](const Problem& problem) -> Count {
                                 return p_of(problem) * (p_of(problem) - 1) * segments(problem);
                               }};

const Formula leader_steps{"2 ceil(log2 g) + inner(N)", [](const Problem& problem) -> Count {
                             const NodeGroups nodes = node_groups(problem);
                             return 2 * log2_ceil(nodes.largest()) +
                                    *of_inner(&Algorithm::steps, problem, nodes.count());
                           }};
const Formula leader_messages{"2(p-N) + inner(N) if nodes are contiguous",
                              [](const Problem& problem) -> Count {
                                const NodeGroups nodes = node_groups(problem);
                                if (!nodes.contiguous()) return std::nullopt;
                                return 2 * (p_of(problem) - nodes.count()) +
                                       *of_inner(&Algorithm::messages, problem, nodes.count());
                              }};
const Formula leader_bytes{"(p(p-1) + sum of G(ranks of a node))c",
                           [](const Problem& problem) -> Count {
                             std::int64_t blocks = p_of(problem) * (p_of(problem) - 1);
                             for (const auto& group : node_groups(problem).ranks) {
                               blocks += binomial_gather_blocks(std::ssize(group));
                             }
                             return blocks * problem.bytes(0);
                           }};

const Formula lane_steps{"inner(N) + 1 (+1)", [](const Problem& problem) -> Count {
                           const NodeGroups nodes = node_groups(problem);
                           return *of_inner(&Algorithm::steps, problem, nodes.count()) +
                                  (nodes.largest() > 1 ? 1 : 0) +
                                  (nodes.largest() > nodes.smallest() ? 1 : 0);
                         }};
const Formula lane_messages{
    "p(p-1) if nodes are contiguous, equal, of 2 or more", [](const Problem& problem) -> Count {
      const NodeGroups nodes = node_groups(problem);
      if (!nodes.contiguous() || nodes.largest() > nodes.smallest() || nodes.largest() == 1) {
        return std::nullopt;
      }
      return p_of(problem) * (p_of(problem) - 1);
    }};

}  // namespace gatherbench::algorithms::formulas
