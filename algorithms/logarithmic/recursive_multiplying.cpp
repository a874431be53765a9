// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive multiplying: recursive doubling with f1 ranks at a time in the first step, f2 in the
// second, and so on, where the product of these factors is p. Without folding no block moves twice.
//
// Steps   as many as there are factors, with f-1 partners
// Cost    (sum of (f-1)) alpha + (p-1) m/p beta
// Limits  the product of the factors is p; a large prime factor makes many partners
// Memory  none beside the receive buffer; what a rank holds is always one range
// Source  Wilkins et al. 2023, "Generalized collective algorithms for the exascale era"; Jocksch et
//         al. 2020, "Optimised allgatherv, reduce_scatter and allreduce communication in
//         message-passing systems"
//
//   p = 6 = 3 x 2, blocks held   rank 0        rank 1        ...   rank 5
//   start                        0 . . . . .   . 1 . . . .         . . . . . 5
//   step 0, ranks 1 apart        0 1 2 . . .   0 1 2 . . .         . . . 3 4 5
//   step 1, ranks 3 apart        0 1 2 3 4 5   0 1 2 3 4 5         0 1 2 3 4 5
#include <fmt/format.h>

#include <optional>
#include <string>

#include "algorithms/choice/choice.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

Numbers factors_of(const Problem& problem) {
  const Numbers& given = *value_of_kind<Numbers>(problem.parameters);
  return given.size > 0 ? given : prime_factors(problem.ranks);
}

Schedule recursive_multiplying_schedule(const Problem& problem) {
  const int r = problem.rank;
  const Numbers factors = factors_of(problem);
  Schedule schedule;
  int held = 1;
  for (const int factor : factors.all()) {
    const int digit = r / held % factor;
    const int line = r - digit * held;  // the rank with digit 0
    schedule.begin_step();
    for (int i = 1; i < factor; ++i) {
      const int to = line + (digit + i) % factor * held;
      const int from = line + (digit - i + factor) % factor * held;
      schedule.send(to, {r - r % held, held});
      schedule.receive(from, {from - from % held, held});
    }
    held *= factor;
  }
  return schedule;
}

std::optional<std::string> why_not_by_factors(const Problem& problem) {
  const Numbers factors = factors_of(problem);
  std::int64_t product = 1;
  for (const int factor : factors.all()) {
    product *= factor;
    if (product > problem.ranks) break;
  }
  if (product == problem.ranks) return std::nullopt;
  return fmt::format("needs factors whose product is p; factors = {}, ranks = {}", to_text(factors),
                     problem.ranks);
}

}  // namespace

extern constinit const Algorithm recursive_multiplying{
    .name = "recursive_multiplying",
    .summary = "recursive doubling with as many partners a step as p has factors",
    .source = "Wilkins et al. 2023; Jocksch et al. 2020",
    .needs = Needs{"factors of p", why_not_by_factors},
    .parameters = {{.name = "factors",
                    .summary = "whose product is p: 3x2; auto: the prime factors",
                    .default_value = Numbers{},
                    .min = 2}},
    .can_be_inner = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"number of factors",
                     [](const Problem& problem) -> Amount {
                       return static_cast<std::int64_t>(factors_of(problem).size);
                     }},
    .messages = Formula{"p (sum of factors - their number)",
                        [](const Problem& problem) -> Amount {
                          const Numbers factors = factors_of(problem);
                          std::int64_t partners = 0;
                          for (const int factor : factors.all()) partners += factor - 1;
                          return partners * problem.ranks;
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = recursive_multiplying_schedule}};

}  // namespace gatherbench::algorithms
