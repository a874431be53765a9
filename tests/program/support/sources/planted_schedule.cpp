// SPDX-License-Identifier: BSD-3-Clause
//
// A ring with a fault at 5 ranks, linked by test_planted_schedule.py into a second
// allgather_schedule in the place of algorithms/rings/ring.cpp. PLANTED_FAULT says which; without
// it the ring is good.
#include <cstdlib>
#include <string_view>

#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

Schedule schedule(const Problem& problem) {
  const char* const text = std::getenv("PLANTED_FAULT");
  const bool everywhere = text != nullptr && text == std::string_view("everywhere");
  const std::string_view fault = everywhere                              ? "step"
                                 : text != nullptr && problem.ranks == 5 ? text
                                                                         : "";
  const int r = problem.rank;
  const int p = problem.ranks;
  const int right = (r + 1) % p;
  const int left = (r - 1 + p) % p;
  Schedule steps;
  for (int s = 0; s < p - 1; ++s) {
    const int sent = (r - s + p) % p;
    const int received = (left - s + p) % p;
    const bool here = r == 3 && s == 2;
    const bool at_left = r == 4 && s == 2;  // the receiver of what rank 3 sends
    if (fault == "step" && s == p - 2) break;
    steps.begin_step(fault == "barrier" && here);
    if (fault != "send" || !here) {
      steps.send(fault == "self" && here ? r : right,
                 {fault == "block" && here ? received : sent, 1});
    }
    if (fault == "order") steps.begin_step();  // all receive after they have sent
    steps.receive(left, {received, 1});
    if (fault == "twice" && here) steps.send(right, {r, 1});
    if (fault == "twice" && at_left) steps.receive(left, {left, 1});
  }
  if (fault == "extra" && r == 3) {
    steps.begin_step();
    steps.send(right, {0, 1});
  }
  return steps;
}

}  // namespace

extern constinit const Algorithm ring{.name = "ring",
                                      .summary = "ring with a fault",
                                      .source = "test_planted_schedule.py",
                                      .steps = formulas::p_minus_1,
                                      .messages = formulas::each_block_once,
                                      .bytes = formulas::all_bytes,
                                      .how = Schedules{.of_rank = schedule}};

}  // namespace gatherbench::algorithms
