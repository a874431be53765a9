// SPDX-License-Identifier: BSD-3-Clause
//
// A ring with a fault at 5 ranks, linked by test_planted_schedule.py into a second
// allgather_schedule in the place of algorithms/ring.cpp. PLANTED_FAULT says which; without it the
// ring is good.
#include <cstdlib>
#include <string_view>

#include "algorithms/registry.h"

namespace gatherbench::algorithms {

Schedule ring(const Problem& problem) {
  const char* const text = std::getenv("PLANTED_FAULT");
  const std::string_view fault = text != nullptr && problem.ranks == 5 ? text : "";
  const int r = problem.rank;
  const int p = problem.ranks;
  const int right = (r + 1) % p;
  const int left = (r - 1 + p) % p;
  Schedule schedule;
  for (int s = 0; s < p - 1; ++s) {
    const int sent = (r - s + p) % p;
    const int received = (left - s + p) % p;
    const bool here = r == 3 && s == 2;
    const bool at_left = r == 4 && s == 2;  // the receiver of what rank 3 sends
    if (fault == "step" && s == p - 2) break;
    schedule.begin_step(fault == "barrier" && here);
    if (fault != "send" || !here) {
      schedule.send(fault == "self" && here ? r : right,
                    {fault == "block" && here ? received : sent, 1});
    }
    if (fault == "order") schedule.begin_step();  // all receive after they have sent
    schedule.receive(left, {received, 1});
    if (fault == "twice" && here) schedule.send(right, {r, 1});
    if (fault == "twice" && at_left) schedule.receive(left, {left, 1});
  }
  if (fault == "extra" && r == 3) {
    schedule.begin_step();
    schedule.send(right, {0, 1});
  }
  return schedule;
}

}  // namespace gatherbench::algorithms
