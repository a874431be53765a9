// SPDX-License-Identifier: BSD-3-Clause
//
// Radix-k: in round i, groups of k_i ranks exchange pieces of what they still combine, each with
// each at once, so that each rank ends with one segment; a binomial tree brings them to the root.
// The members of a group are far from each other in the first round, neighbours in the last one, so
// that segment v ends at rank v. (The paper begins with neighbours, which costs the same.)
//
// Steps   as many rounds as there are numbers in k, then ceil(log2 p)
// Cost    (sum of (k_i - 1) + log2 p) alpha + (p-1)/p m (2 beta + gamma)
// Limits  the numbers in k have the product p; operators that commute
// Memory  a vector where that is not the root, and less than one for what comes in
// Source  Peterka et al. 2009; Marendic et al. 2016, section 5.5.4
//
//   p = 6, k=3x2    round 0: 0, 2, 4 give each other two segments each, 1, 3, 5 too
//                   round 1: 0 and 1, 2 and 3, 4 and 5 exchange one each; then to rank 0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "algorithms/reduce/segment_gather.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

/// Returns the given radices, or such as are between 4 and 8 where p allows: the prime factors of
/// p, multiplied with each other while the product is 4 at most.
Numbers radices_of(const Problem& problem) {
  if (!problem.numbers().empty()) return *value_of_kind<Numbers>(problem.parameters);
  Numbers radices;
  int product = 1;
  const Numbers primes = prime_factors(problem.ranks);
  for (const std::int32_t prime : primes.all()) {
    if (product > 1 && product * prime > 4) {
      radices.add(product);
      product = 1;
    }
    product *= prime;
  }
  if (product > 1) radices.add(product);
  return radices;
}

std::optional<std::string> why_not_here(const Problem& problem) {
  const Numbers radices = radices_of(problem);
  std::int64_t product = 1;
  for (const std::int32_t radix : radices.all()) {
    product *= radix;
    if (product > problem.ranks) break;
  }
  if (product == problem.ranks) return {};
  return fmt::format("needs numbers k whose product is the number of ranks; ranks = {}",
                     problem.ranks);
}

Schedule radix_k_schedule(const Problem& problem) {
  const int rank = problem.rank;
  Schedule schedule;
  schedule.segmentation.near_equal = problem.ranks;
  int first = 0;  // of the segments that the rank still combines
  int stride = problem.ranks;
  const Numbers radices = radices_of(problem);
  for (const std::int32_t radix : radices.all()) {
    if (radix == 1) continue;
    stride /= radix;
    const int own = (rank / stride) % radix;
    schedule.begin_step();
    // Each begins with another one, so that no rank is sent to by all at once.
    for (int distance = 1; distance < radix; ++distance) {
      const int other = (own + distance) % radix;
      schedule.send(rank + (other - own) * stride, {first + other * stride, stride});
    }
    first += own * stride;
    for (int distance = 1; distance < radix; ++distance) {
      const int other = (own - distance + radix) % radix;
      schedule.receive(rank + (other - own) * stride, {first, stride}, Incoming::combine_before);
    }
  }
  add_segment_gather(schedule, all_ranks(problem), rank);
  return schedule;
}

std::int64_t exchanges(const Problem& problem) {
  std::int64_t sum = 0;
  const Numbers radices = radices_of(problem);
  for (const std::int32_t radix : radices.all()) sum += radix - 1;
  return sum;
}

}  // namespace

extern constinit const Algorithm reduce_radix_k{
    .name = "radix_k",
    .title = "Radix-k",
    .summary = "exchanges in groups of k, then a binomial gather",
    .source = "Peterka et al. 2009; Marendic et al. 2016, 5.5.4",
    .kind = &collectives::reduce,
    .needs = Needs{"p the product of k", why_not_here},
    .parameters = {{.name = "k",
                    .summary =
                        "group sizes in the rounds' order, 4x4x8, with the product p; without "
                        "it factors of p of about 4",
                    .default_value = Numbers{},
                    .min = 2}},
    .cuts_blocks = true,
    .steps = Formula{"rounds + ceil(log2 p)",
                     [](const Problem& problem) -> Amount {
                       std::int64_t rounds = 0;
                       const Numbers factors = radices_of(problem);
                       for (const std::int32_t factor : factors.all()) rounds += factor > 1 ? 1 : 0;
                       return rounds + formulas::log2_ceil(problem.ranks);
                     }},
    .messages = Formula{"p sum(k-1) + p-1",
                        [](const Problem& problem) -> Amount {
                          return problem.ranks * exchanges(problem) + problem.ranks - 1;
                        }},
    .bytes = Formula{"(p-1)m + gather of segments",
                     [](const Problem& problem) -> Amount {
                       return (problem.ranks - 1) * problem.bytes(0) +
                              segment_gather_bytes(problem, problem.ranks);
                     }},
    .how = Schedules{.of_rank = radix_k_schedule}};

}  // namespace gatherbench::algorithms
