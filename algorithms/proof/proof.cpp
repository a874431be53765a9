// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "algorithms/proof/contention.h"
#include "algorithms/proof/symbolic_run.h"

namespace gatherbench::proof {
namespace {

/// Empty, or how the count differs from what the row states.
std::string differs(std::string_view verb, std::string_view noun, std::int64_t count,
                    const std::optional<algorithms::Formula>& formula,
                    const algorithms::Problem& problem) {
  if (!formula) {
    return count == 0 ? "" : fmt::format("{} {} {} where its row states none", verb, count, noun);
  }
  const std::optional<std::int64_t> stated = formula->at(problem);
  if (!stated || *stated == count) return {};
  return fmt::format("{} {} {} where its row states {} = {}", verb, count, noun, formula->text,
                     *stated);
}

bool equal_blocks(const algorithms::Problem& problem) {
  return std::ranges::adjacent_find(problem.block_bytes, std::not_equal_to{}) ==
         problem.block_bytes.end();
}

}  // namespace

Assumptions assumptions_of(const algorithms::Algorithm& algorithm,
                           std::span<const std::int64_t> block_bytes, int root) {
  // The order of ranks is another one if the root is not rank 0.
  return {block_bytes, algorithm.moves_twice, algorithm.kind, root,
          algorithm.keeps_order && root == 0};
}

ProofResult prove(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions) {
  return SymbolicRun(schedules, assumptions).run();
}

ProofResult prove(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem) {
  const std::vector<algorithms::Schedule> schedules =
      algorithms::make_schedules(algorithm, problem);
  ProofResult result =
      prove(schedules, assumptions_of(algorithm, problem.block_bytes, problem.root));
  std::string& fault = result.fault;
  if (fault.empty() && equal_blocks(problem)) {
    fault = differs("takes", "steps", result.steps, algorithm.steps, problem);
    // Blocks that lay together may be apart in another order.
    if (fault.empty() && problem.reorder == nullptr) {
      fault = differs("sends", "messages", result.messages, algorithm.messages, problem);
    }
    if (fault.empty()) fault = differs("sends", "bytes", result.bytes, algorithm.bytes, problem);
    if (fault.empty()) {
      fault = differs("has", "barriers", result.barriers, algorithm.barriers, problem);
    }
  }
  if (fault.empty() && algorithm.contention_free && problem.reorder == nullptr) {
    fault = contention(*problem.network, problem.host, schedules);
  }
  return result;
}

}  // namespace gatherbench::proof
