// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <variant>

#include "algorithms/topology/switch_tree.h"
#include "runtime/policies/choices.h"

namespace gatherbench::policies {
namespace {

/// Returns the node of every rank, numbered from 0; if all ranks are on one node, each has a number
/// of its own.
std::vector<int> ports_of(const std::vector<int>& node, int ranks) {
  std::vector<int> numbers = node;
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<int> ports(static_cast<std::size_t>(ranks));
  std::iota(ports.begin(), ports.end(), 0);
  if (numbers.size() < 2) return ports;
  std::ranges::transform(node, ports.begin(), [&](int number) {
    return static_cast<int>(std::ranges::lower_bound(numbers, number) - numbers.begin());
  });
  return ports;
}

topology::SwitchTree one_switch(int hosts) {
  return topology::SwitchTree::parse("", fmt::format("SwitchName=s Nodes=h[0-{}]", hosts - 1));
}

bool are_equal(std::span<const std::int64_t> values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
}

}  // namespace

ModelPrior::ModelPrior(std::vector<algorithms::Choice> choices, algorithms::Placement placement,
                       int ranks, const cost::ContentionModel& model)
    : choices_(std::move(choices)),
      placement_(std::move(placement)),
      ranks_(ranks),
      model_(model),
      of_one_byte_(choices_.size()) {
  model_.further = further_message;
  if (placement_.network != nullptr) return;
  port_ = ports_of(placement_.node, ranks);
  ports_ = std::make_unique<topology::SwitchTree>(one_switch(1 + std::ranges::max(port_)));
}

std::vector<Candidate> ModelPrior::candidates(std::span<const std::int64_t> block_bytes,
                                              const collectives::Collective& collective) {
  std::vector<Candidate> found = candidates_of(choices_, std::ranges::max(block_bytes), collective);
  if (ranks_ > most_ranks) return found;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    if (choices_[i].algorithm->schedules() == nullptr) continue;
    if (choices_[i].via != algorithms::Via::messages) continue;
    found[i].prior_ns = expected_ns(i, block_bytes);
  }
  return found;
}

std::int64_t ModelPrior::expected_ns(std::size_t choice,
                                     std::span<const std::int64_t> block_bytes) {
  const algorithms::Choice& chosen = choices_[choice];
  algorithms::Problem problem = placement_.place(algorithms::problem_for(chosen, ranks_));
  const bool is_equal = are_equal(block_bytes);
  const bool by_size = algorithms::moves_by_size(chosen) || !is_equal;
  if (by_size && is_equal) problem.equal_bytes = block_bytes.front();
  if (!is_equal) problem.block_bytes = block_bytes;
  std::optional<cost::SharedLinks> use = of_one_byte_[choice];
  if (by_size || !use) {
    if (ports_) {
      problem.network = ports_.get();
      problem.host = port_;
    }
    use = cost::shared_links(*chosen.algorithm, problem);
    if (!by_size) of_one_byte_[choice] = use;
  }
  const double scale = by_size ? 1 : static_cast<double>(block_bytes.front());
  const double seconds = cost::contention_seconds(*use, model_, scale);
  constexpr double longest_ns = 1e18;
  return std::llround(std::clamp(seconds * 1e9, 1.0, longest_ns));
}

}  // namespace gatherbench::policies
