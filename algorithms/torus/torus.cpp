// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/torus/torus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "algorithms/binomial_tree.h"

namespace gatherbench::algorithms {
namespace {

std::vector<int> sides_of(const Problem& problem) {
  const std::span<const std::int32_t> given = problem.numbers();
  if (!given.empty()) return {given.begin(), given.end()};
  int small = 1;
  for (int side = 2; side <= problem.ranks / side; ++side) {
    if (problem.ranks % side == 0) small = side;
  }
  if (small == 1) return {problem.ranks};
  return {small, problem.ranks / small};
}

/// The segments that go to, or come from, each peer in a step.
class ByPeer {
 public:
  void add(int peer, std::span<const int> ranks, int port, int ports) {
    auto found = std::ranges::find(transfers_, peer, &Entry::peer);
    if (found == transfers_.end()) found = transfers_.insert(found, Entry{peer, {}});
    found->segments.reserve(found->segments.size() + ranks.size());
    for (const int rank : ranks) found->segments.push_back(rank * ports + port);
  }
  /// Calls add(peer, range) for each range of a peer, ascending.
  template <typename Add>
  void visit(Add add) {
    for (Entry& entry : transfers_) {
      std::ranges::sort(entry.segments);
      for (const BlockRange range : as_ranges(entry.segments)) add(entry.peer, range);
    }
  }

 private:
  struct Entry {
    int peer;
    std::vector<int> segments;
  };
  std::vector<Entry> transfers_;
};

}  // namespace

Torus::Torus(const Problem& problem) : sides_(sides_of(problem)), strides_(sides_.size()) {
  int stride = 1;
  for (std::size_t i = sides_.size(); i-- > 0; stride *= sides_[i]) strides_[i] = stride;
}

int Torus::moved_to(int rank, int dimension, int coordinate) const {
  const int n = side(dimension);
  const int target = (coordinate % n + n) % n;
  return rank + (target - this->coordinate(rank, dimension)) * at(strides_, dimension);
}

std::optional<std::string> why_not_on_torus(const Problem& problem) {
  const std::span<const std::int32_t> sides = problem.numbers();
  std::int64_t product = 1;
  for (const std::int32_t side : sides) product = std::min<std::int64_t>(product * side, 1U << 31U);
  if (!sides.empty() && product != problem.ranks) {
    return fmt::format("needs sides whose product is the number of ranks; dims = {}, ranks = {}",
                       fmt::join(sides, "x"), problem.ranks);
  }
  const int dimensions = Torus(problem).dimensions();
  if (problem.count() <= 2 * dimensions) return std::nullopt;
  return fmt::format("needs at most {} ports, two a dimension; ports = {}", 2 * dimensions,
                     problem.count());
}

Schedule on_torus(const Problem& problem, StepsOfPort steps_of_port) {
  const Torus torus(problem);
  const auto count = static_cast<int>(problem.count());
  std::vector<std::vector<PortStep>> ports;
  for (int port = 0; port < count; ++port) {
    ports.push_back(steps_of_port(torus, problem.rank, port));
  }
  Schedule schedule;
  if (count > 1) schedule.segmentation.near_equal = count;  // with one port blocks stay whole
  for (std::size_t s = 0; s < ports.front().size(); ++s) {
    ByPeer sends;
    ByPeer receives;
    for (int port = 0; port < count; ++port) {
      const PortStep& step = ports[static_cast<std::size_t>(port)][s];
      sends.add(step.to, step.sent, port, count);
      receives.add(step.from, step.received, port, count);
    }
    schedule.begin_step();
    sends.visit([&](int peer, BlockRange range) { schedule.send(peer, range); });
    receives.visit([&](int peer, BlockRange range) { schedule.receive(peer, range); });
  }
  return schedule;
}

}  // namespace gatherbench::algorithms
