// SPDX-License-Identifier: BSD-3-Clause
//
// Swing: recursive halving on a torus whose partners are near each other. The dimensions take
// turns; in its turn s, a rank with an even coordinate c has the partner c + rho(s), one with an
// odd one c - rho(s), rho(s) = (1 - (-2)^(s+1)) / 3: 1, -1, 3, -5, 11, ... The all-gather goes
// through the turns backwards, each time sending all that a rank holds. With several ports each
// block is cut into as many segments: port i begins with dimension i, and from as many ports on as
// there are dimensions the signs are the other ones.
//
// Steps   log2 p
// Cost    log2 p alpha + (p-1) c / ports beta, over links near by
// Limits  all sides are powers of two, and their product is p
// Memory  none beside the receive buffer
// Source  De Sensi, Bonato, Saam, Hoefler 2024, "Swing: Short-cutting Rings for Higher Bandwidth
//         Allreduce": its all-gather half
//
//   4 x 2, rank 0   {0} to 6, {6} from 6; {0 6} to 1, {1 7} from 1; {0 1 6 7} to 2
#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"
#include "algorithms/torus/torus.h"

namespace gatherbench::algorithms {
namespace {

/// A turn of a dimension; `number` is 0 for its first one.
struct Turn {
  int dimension;
  int number;
};

/// Returns the turns in the order of the all-gather.
std::vector<Turn> turns_of(const Torus& torus, int port) {
  const int dimensions = torus.dimensions();
  std::vector<int> had(static_cast<std::size_t>(dimensions), 0);
  std::vector<Turn> turns;
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < dimensions; ++i) {
      const int d = (port + i) % dimensions;
      int& number = had[static_cast<std::size_t>(d)];
      if (1 << number >= torus.side(d)) continue;
      turns.push_back({d, number++});
      any = true;
    }
  }
  std::ranges::reverse(turns);
  return turns;
}

/// Returns rho(s) of the paper, where s is the number of a turn.
int distance(int number) {
  int power = -2;
  for (int i = 0; i < number; ++i) power *= -2;
  return (1 - power) / 3;
}

int partner(const Torus& torus, int rank, Turn turn, int port) {
  const int c = torus.coordinate(rank, turn.dimension);
  const int sign = (c % 2 == 0) == (port < torus.dimensions()) ? 1 : -1;
  return torus.moved_to(rank, turn.dimension, c + sign * distance(turn.number));
}

/// Returns the ranks whose blocks this one holds after these turns.
std::vector<int> held(const Torus& torus, int rank, std::span<const Turn> turns, int port) {
  std::vector<int> ranks{rank};
  for (std::size_t i = turns.size(); i-- > 0;) {
    // The blocks that come in the last turn were gathered before it, from ranks that are found the
    // same way.
    const std::size_t known = ranks.size();
    for (std::size_t k = 0; k < known; ++k) {
      ranks.push_back(partner(torus, ranks[k], turns[i], port));
    }
  }
  return ranks;
}

std::vector<PortStep> swing_steps(const Torus& torus, int rank, int port) {
  const std::vector<Turn> turns = turns_of(torus, port);
  std::vector<PortStep> steps;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const std::span<const Turn> before = std::span(turns).first(i);
    const int peer = partner(torus, rank, turns[i], port);
    steps.push_back({peer, held(torus, rank, before, port), peer, held(torus, peer, before, port)});
  }
  return steps;
}

Schedule swing_schedule(const Problem& problem) { return on_torus(problem, swing_steps); }

std::optional<std::string> why_not(const Problem& problem) {
  const auto why = limits::power_of_two.why_not(problem);
  return why ? why : why_not_on_torus(problem);
}

}  // namespace

extern constinit const Algorithm swing{
    .name = "swing",
    .summary = "recursive halving on a torus, between ranks near each other",
    .source = "De Sensi et al. 2024",
    .needs = Needs{"power-of-two p = product of dims", why_not},
    .parameters = {dims_parameter, ports_parameter},
    .cuts_blocks = true,
    .growth = Growth::logarithmic,
    .steps = formulas::log2_p,
    .messages = formulas::no_closed_form,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = swing_schedule}};

}  // namespace gatherbench::algorithms
