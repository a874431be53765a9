// SPDX-License-Identifier: BSD-3-Clause
//
// Circulant: p pipelined broadcasts at once, one of each block, over one circulant graph. Every
// block is cut into as many segments as the others, n near-equal ones. In each step a rank
// receives, from one rank and in one message, at most one segment of each block. A large block is
// cut and moves together with the others, so that the time depends on the sum of all blocks, and
// hardly on how unequal they are.
//
// Steps   n-1 + ceil(log2 p), for any p: none with one peer a step and n segments has fewer
// Cost    (n-1 + ceil(log2 p)) alpha + (p-1) m/p beta for equal blocks, if what a step sends is one
//         message: NAME:noncontiguous=packed or datatype, as up to p-1 segments lie apart
// Limits  2^20 segments of all blocks
// Memory  none beside the receive buffer; up to p-1 ranges of blocks in a message
// Source  Traeff 2022, "(Poly)logarithmic time construction of round-optimal n-block broadcast
//         schedules for broadcast and irregular allgather in MPI", arXiv 2205.10072; Traeff 2024,
//         "Optimal broadcast schedules in logarithmic time with applications to broadcast,
//         all-broadcast, reduction and all-reduction", arXiv 2407.18004
//
//   p = 3, n = 2, blocks held   rank 0             rank 1             rank 2
//   start                       0a 0b . . . .      . . 1a 1b . .      . . . . 2a 2b
//   step 0, from r-2            0a 0b 1a . . .     . . 1a 1b 2a .     0a . . . 2a 2b
//   step 1, from r-1            0a 0b 1a . . 2b    . 0b 1a 1b 2a .    0a . . 1b 2a 2b
//   step 2, from r-2            0a 0b 1a 1b 2a 2b  0a 0b 1a 1b 2a 2b  0a 0b 1a 1b 2a 2b
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

/// The segments that a rank at each distance from a block's owner receives of it, for p ranks.
/// There are q = ceil(log2 p) skips; the steps take them in turn, again and again.
class Circulant {
 public:
  explicit Circulant(int ranks)
      : ranks_(ranks), rounds_(static_cast<int>(formulas::log2_ceil(ranks))) {
    skips_.assign(static_cast<std::size_t>(rounds_) + 1, ranks);
    for (std::size_t k = skips_.size() - 1; k-- > 0;) skips_[k] = (skips_[k + 1] + 1) / 2;
    table_.resize(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(rounds_));
    for (int distance = 0; distance < ranks; ++distance) search(distance);
  }

  [[nodiscard]] int rounds() const { return rounds_; }
  [[nodiscard]] int skip(int k) const { return skips_[static_cast<std::size_t>(k)]; }
  /// Returns the segment that comes with skip k, counted from the one of the round at hand.
  [[nodiscard]] int segment(int distance, int k) const {
    return table_[static_cast<std::size_t>(distance) * static_cast<std::size_t>(rounds_) +
                  static_cast<std::size_t>(k)];
  }

 private:
  /// Returns the index of the last of the skips, the largest first, whose sum is the distance;
  /// rounds_ if the distance is 0.
  [[nodiscard]] int base_of(int distance) const {
    if (distance == 0) return rounds_;
    int k = rounds_;
    for (int left = distance; left > 0; left -= skip(k)) {
      while (skip(k) > left) --k;
    }
    return k;
  }
  void search(int distance);

  int ranks_;
  int rounds_;
  std::vector<int> skips_;
  std::vector<int> table_;
};

/// A depth-first search, over paths from the owner to the distance by ever smaller skips, for those
/// with the latest starts that reach each round's sender in time (Traeff 2024, algorithms 4 and 5).
struct Search {
  const Circulant& graph;
  int target;              // the distance, after a turn around all ranks
  std::vector<bool> open;  // skips by which a path may still begin
  std::vector<int> found = {};
  int last = std::numeric_limits<int>::max();

  [[nodiscard]] int before(std::size_t more) const {
    return target - graph.skip(static_cast<int>(found.size() + more));
  }
  [[nodiscard]] bool is_complete() const {
    return static_cast<int>(found.size()) == graph.rounds();
  }
  void visit(int sum, int first) {
    for (int e = first; e >= 0 && !is_complete(); --e) {
      if (!open[static_cast<std::size_t>(e)]) continue;
      const int next = sum + graph.skip(e);
      if (next > before(0) || next >= last) continue;
      if (next <= before(1)) visit(next, e);
      if (is_complete() || sum > before(1)) return;
      last = next;
      found.push_back(e);
      open[static_cast<std::size_t>(e)] = false;
    }
  }
};

void Circulant::search(int distance) {
  const int base = base_of(distance);
  std::vector<bool> open(static_cast<std::size_t>(rounds_) + 1, true);
  open[static_cast<std::size_t>(base)] = false;
  Search paths{*this, distance + ranks_, std::move(open)};
  paths.visit(0, rounds_);
  for (int k = 0; k < rounds_; ++k) {
    const int e = paths.found[static_cast<std::size_t>(k)];
    table_[static_cast<std::size_t>(distance) * static_cast<std::size_t>(rounds_) +
           static_cast<std::size_t>(k)] = e == rounds_ ? base : e - rounds_;
  }
}

/// Calls add(segment) for what `receiver` gets with skip k, in the order of the blocks.
template <typename Add>
void for_each_segment(const Circulant& graph, const Problem& problem, int receiver, int k,
                      int offset, Add add) {
  const int p = problem.ranks;
  const auto n = static_cast<int>(problem.count());
  for (int block = 0; block < p; ++block) {
    if (block == receiver) continue;
    const int distance = receiver >= block ? receiver - block : receiver - block + p;
    const int segment = graph.segment(distance, k) + offset;
    if (segment >= 0) add(BlockRange{block * n + std::min(segment, n - 1), 1});
  }
}

Schedule schedule_of(const Circulant& graph, const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const auto n = static_cast<int>(problem.count());
  const int q = graph.rounds();
  Schedule schedule;
  if (n > 1) schedule.segmentation.near_equal = n;
  if (p == 1) return schedule;
  const auto steps = static_cast<std::size_t>(n) - 1 + static_cast<std::size_t>(q);
  schedule.reserve(steps, steps, static_cast<std::size_t>(p - 1) * static_cast<std::size_t>(n));
  // The last round is one of the largest skip.
  const int left_out = (q - (n - 1) % q) % q;
  for (int round = left_out; round < left_out + n - 1 + q; ++round) {
    const int k = round % q;
    const int offset = round - k - left_out;
    const int to = (r + graph.skip(k)) % p;
    const int from = (r - graph.skip(k) + p) % p;
    schedule.begin_step();
    for_each_segment(graph, problem, to, k, offset,
                     [&](BlockRange segment) { schedule.send(to, segment); });
    for_each_segment(graph, problem, r, k, offset,
                     [&](BlockRange segment) { schedule.receive(from, segment); });
  }
  return schedule;
}

Schedule circulant_schedule(const Problem& problem) {
  return schedule_of(Circulant(problem.ranks), problem);
}

std::vector<Schedule> circulant_schedules(const Problem& problem) {
  const Circulant graph(problem.ranks);
  std::vector<Schedule> schedules;
  Problem of_rank = problem;
  for (of_rank.rank = 0; of_rank.rank < problem.ranks; ++of_rank.rank) {
    schedules.push_back(schedule_of(graph, of_rank));
  }
  return schedules;
}

std::optional<std::string> why_not_in_segments(const Problem& problem) {
  if (problem.count() * problem.ranks <= limits::max_segments) return std::nullopt;
  return fmt::format("needs fewer segments than {}: the blocks of {} ranks have more than {}",
                     problem.count(), problem.ranks, limits::max_segments);
}

}  // namespace

extern constinit const Algorithm circulant{
    .name = "circulant",
    .summary = "broadcasts of all blocks at once, each in n segments, for blocks of unequal size",
    .source = "Traeff 2022; Traeff 2024",
    .needs = Needs{"<= 2^20 segments", why_not_in_segments},
    .parameters = {{.name = "segments",
                    .summary = "near-equal segments of each block, 1 or more",
                    .default_value = Count{4}}},
    .cuts_blocks = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = Formula{"n-1 + ceil(log2 p)",
                     [](const Problem& problem) -> Amount {
                       return problem.ranks == 1
                                  ? 0
                                  : problem.count() - 1 + formulas::log2_ceil(problem.ranks);
                     }},
    .messages = formulas::no_closed_form,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = circulant_schedule, .of_all = circulant_schedules}};

}  // namespace gatherbench::algorithms
