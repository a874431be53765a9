// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/exchanges.h"

namespace gatherbench::algorithms::exchanges {

Schedule all_at_once(const Problem& problem, int first, BlockFor* block_for) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  if (p == 1) return schedule;
  const auto peers = static_cast<std::size_t>(p) - 1;
  schedule.reserve(1, peers, peers);
  schedule.begin_step();
  for (int i = 0; i < p; ++i) {
    const int to = first + i < p ? first + i : first + i - p;
    if (to != r) schedule.send(to, {block_for(r, to, p), 1});
  }
  // Receives stand in the order in which the blocks are sent to this rank if all proceed alike.
  for (int i = 0; i < p; ++i) {
    const int from = first == 0 ? i : (r - i + p) % p;
    if (from != r) schedule.receive(from, {block_for(from, r, p), 1});
  }
  return schedule;
}

Peers shifted(int r, int p, int i) { return {(r + i) % p, (r - i + p) % p}; }
Peers paired(int r, int /*p*/, int i) { return {r ^ i, r ^ i}; }

Schedule one_by_one(const Problem& problem, PeersOf* peers_of, Between between,
                    BlockFor* block_for) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const std::int64_t wanted = between == Between::some_barriers ? problem.count() : 0;
  Schedule schedule;
  const auto steps = static_cast<std::size_t>(p) - 1;
  const std::size_t tokens = between == Between::tokens ? steps : 0;
  schedule.reserve(steps + tokens, steps + tokens, steps);
  std::int64_t barriers_done = 0;
  for (int i = 1; i < p; ++i) {
    const auto [to, from] = peers_of(r, p, i);
    bool barrier = between == Between::barrier && i > 1;
    if (between == Between::some_barriers && barriers_done < wanted &&
        i - 1 == (barriers_done + 1) * (p - 1) / (wanted + 1)) {
      barrier = true;
      ++barriers_done;
    }
    if (between == Between::tokens && i > 1) {
      schedule.begin_step();
      schedule.send_token(from);
      schedule.receive_token(to);
    }
    schedule.begin_step(barrier);
    schedule.send(to, {block_for(r, to, p), 1});
    schedule.receive(from, {block_for(from, r, p), 1});
  }
  return schedule;
}

}  // namespace gatherbench::algorithms::exchanges
