// SPDX-License-Identifier: BSD-3-Clause
//
// Against the same policy in exact fractions (tests/runtime/policies/agstar_worlds.py).
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "runtime/policies/agstar.h"
#include "tests/runtime/policies/replay.h"
#include "tests/runtime/policies/worlds.h"

namespace gatherbench::policies {
namespace {

/// "16*2" for calls in a row, "3*2.3*0" for a round.
std::string text(const CallPlan& call_plan) {
  std::string found;
  for (const Phase& phase : call_plan) {
    found += (found.empty() ? "" : ".") + std::to_string(phase.calls) + '*' +
             std::to_string(phase.candidate);
  }
  return found;
}

std::string call_plans(std::uint64_t seed) {
  const World world(seed);
  Agstar policy(world.candidates, world.budget_permille);
  const Replay found = replay(policy, 1500, [&](std::int64_t call, std::size_t candidate) {
    return world.time(call, candidate);
  });
  std::string line;
  for (const Agreement& each : found.agreements) {
    line += (line.empty() ? "" : " ") + text(each.call_plan);
  }
  return line;
}

TEST(AgstarWorlds, AsExactFractionsSay) {
  std::ifstream table(GATHERBENCH_SOURCE "/tests/shared/agstar_worlds.csv");
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "seed,call_plans");
  int worlds = 0;
  for (; std::getline(table, line); ++worlds) {
    const std::size_t comma = line.find(',');
    EXPECT_EQ(call_plans(std::stoull(line.substr(0, comma))), line.substr(comma + 1)) << line;
  }
  EXPECT_EQ(worlds, 500);
}

}  // namespace
}  // namespace gatherbench::policies
