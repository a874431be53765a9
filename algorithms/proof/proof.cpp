// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "algorithms/proof/symbolic_run.h"

namespace gatherbench::proof {
namespace {

struct Message {
  int from;
  int to;
};

/// The last message on each link, and its step.
class LinkUses {
 public:
  LinkUses(const topology::Network& network, std::span<const int> host_of_rank)
      : network_(network),
        host_of_rank_(host_of_rank),
        uses_(static_cast<std::size_t>(network.links())) {}

  /// Adds a message of a step; calls go through the steps in order. Returns an empty text, or one
  /// that names a link which carries another message of that step.
  std::string add(std::size_t step, const Message& message) {
    path_.clear();
    network_.add_links(host_of(message.from), host_of(message.to), path_);
    std::string fault;
    for (const int link : path_) {
      Use& use = uses_[static_cast<std::size_t>(link)];
      if (use.step == step && fault.empty()) {
        const auto [from, to] = network_.link_ends(link);
        fault = fmt::format("step {}: link {} -> {} carries rank {} to {} and rank {} to {}", step,
                            from, to, use.message.from, use.message.to, message.from, message.to);
      }
      use = {step, message};
    }
    return fault;
  }

 private:
  struct Use {
    std::size_t step = static_cast<std::size_t>(-1);
    Message message{};
  };
  [[nodiscard]] int host_of(int rank) const {
    return host_of_rank_[static_cast<std::size_t>(rank)];
  }

  const topology::Network& network_;
  std::span<const int> host_of_rank_;
  std::vector<Use> uses_;
  std::vector<int> path_;
};

}  // namespace

std::string contention(const topology::Network& network, std::span<const int> host_of_rank,
                       std::span<const algorithms::Schedule> schedules) {
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : schedules) steps = std::max(steps, schedule.steps());
  LinkUses uses(network, host_of_rank);
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      if (s >= schedules[rank].steps()) continue;
      for (const algorithms::Transfer send : schedules[rank].step(s).sends) {
        if (send.blocks.empty()) continue;  // a token has no bytes
        std::string fault = uses.add(s, {static_cast<int>(rank), send.peer});
        if (!fault.empty()) return fault;
      }
    }
  }
  return {};
}

namespace {

/// Returns an empty text, or how the count differs from what the row states.
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
