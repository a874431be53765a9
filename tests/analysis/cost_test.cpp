// SPDX-License-Identifier: BSD-3-Clause
//
// The sum over a schedule against the papers' closed forms, and the short cuts against going
// through every rank.
#include "analysis/cost.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "analysis/trials.h"
#include "tests/schedule_of.h"
#include "topology/switch_tree.h"

namespace gatherbench::analysis {
namespace {

constexpr Hockney model{.alpha = 3e-6, .beta = 2e-9};
constexpr double c = 1000;  // bytes of a block

double seconds(std::string_view text, int ranks) {
  const algorithms::Choice chosen = choice(text);
  return hockney_seconds(port_uses(*chosen.algorithm, algorithms::problem_for(chosen, ranks)),
                         model, c);
}

/// steps start-ups and the blocks of all other ranks.
double closed_form(double start_ups, int ranks) {
  return start_ups * model.alpha + (ranks - 1) * c * model.beta;
}

// Loch 2021, section 2.4 (his m is p c); Faraj 2006, section 4.1.1.1.
TEST(Hockney, IsThePapersClosedForm) {
  for (const int p : {2, 3, 4, 5, 8, 16, 17, 64, 100}) {
    const double log2_up = std::ceil(std::log2(p));
    for (const char* const name : {"ring", "linear", "spread", "shift", "shift_mpi_barrier"}) {
      EXPECT_DOUBLE_EQ(seconds(name, p), closed_form(p - 1, p)) << name << " " << p;
    }
    for (const char* const name : {"bruck", "bruck_in_place", "sparbit"}) {
      EXPECT_DOUBLE_EQ(seconds(name, p), closed_form(log2_up, p)) << name << " " << p;
    }
    if (p % 2 == 0) {
      EXPECT_DOUBLE_EQ(seconds("neighbor_exchange", p), closed_form(p / 2.0, p));
    }
    if (!std::has_single_bit(static_cast<unsigned>(p))) continue;
    EXPECT_DOUBLE_EQ(seconds("pair", p), closed_form(p - 1, p));
    for (const char* const name : {"recursive_doubling", "recursive_halving"}) {
      EXPECT_DOUBLE_EQ(seconds(name, p), closed_form(log2_up, p)) << name << " " << p;
    }
    // Faraj: lg p (alpha + p n beta) for the broadcast; for the gather the sum of what is moved.
    EXPECT_DOUBLE_EQ(seconds("gather_bcast", p),
                     closed_form(log2_up, p) + log2_up * (model.alpha + p * c * model.beta));
  }
  for (const int side : {2, 3, 4, 5}) {
    const int square = side * side;
    const int cube = square * side;
    EXPECT_DOUBLE_EQ(seconds("mesh2d", square), closed_form(2 * (side - 1), square));
    EXPECT_DOUBLE_EQ(seconds("mesh3d", cube), closed_form(3 * (side - 1), cube));
  }
}

TEST(Hockney, CountsTheSegmentsOfTheBlockAtHand) {
  const algorithms::Choice chosen = choice("pipelined_ring:segment=300");
  const std::vector<std::int64_t> sizes(8, 1000);
  algorithms::Problem problem = algorithms::problem_for(chosen, 8);
  problem.block_bytes = sizes;
  EXPECT_DOUBLE_EQ(hockney_seconds(port_uses(*chosen.algorithm, problem), model),
                   closed_form(7 * 4, 8));
}

/// The machine of each rank, in some disorder.
std::vector<int> machines(int ranks) {
  std::vector<int> machine;
  for (int rank = 0; rank < ranks; ++rank) machine.push_back(rank * 7 % 5);
  return machine;
}

// A row that claims a symmetry must cost what all its ranks' schedules cost.
TEST(Cost, SymmetriesAreTrue) {
  for (const algorithms::Choice& chosen : algorithms::parse_algorithms("--algorithms", "all")) {
    if (chosen.algorithm->symmetry == algorithms::Symmetry::none) continue;
    algorithms::Algorithm plain = *chosen.algorithm;
    plain.symmetry = algorithms::Symmetry::none;
    for (int p = 1; p <= 40; ++p) {
      for (const Trial& trial : trials(chosen, p, nullptr)) {
        const algorithms::Problem problem = trial.problem(p);
        if (!algorithms::reason_unusable(plain, problem).empty()) continue;
        EXPECT_EQ(port_uses(*chosen.algorithm, problem), port_uses(plain, problem))
            << plain.name << " " << p << " " << trial.text;
        EXPECT_EQ(hop_bytes(*chosen.algorithm, problem, machines(p)),
                  hop_bytes(plain, problem, machines(p)))
            << plain.name << " " << p << " " << trial.text;
      }
    }
  }
}

std::int64_t hops(std::string_view text, int machines, int cores, bool cyclic) {
  const algorithms::Choice chosen = choice(text);
  std::vector<int> machine;
  for (int rank = 0; rank < machines * cores; ++rank) {
    machine.push_back(cyclic ? rank % machines : rank / cores);
  }
  return hop_bytes(*chosen.algorithm, algorithms::problem_for(chosen, machines * cores), machine);
}

TEST(HopBytes, OfARing) {
  // p-1 blocks over each of the links 0-1, 1-2, 2-3 of 4 machines, and back over all three.
  EXPECT_EQ(hops("ring", 4, 2, false), 7 * 6);
  // Every neighbour is on another machine: 6 times one further, once (twice) back.
  EXPECT_EQ(hops("ring", 4, 2, true), 7 * (6 * 1 + 2 * 3));
  EXPECT_EQ(hops("ring", 1, 8, false), 0);
}

// Loch 2021, section 5.3, figures 19 and 20.
TEST(HopBytes, BruckUnderCyclicHasLocalMinimaAtPowersOfTwo) {
  for (const int cores : {2, 4, 8, 16}) {
    for (const int machines : {8, 16, 32}) {
      const std::int64_t here = hops("bruck", machines, cores, true);
      EXPECT_LT(here, hops("bruck", machines - 1, cores, true)) << machines << " x " << cores;
      EXPECT_LT(here, hops("bruck", machines + 1, cores, true)) << machines << " x " << cores;
    }
  }
}

TEST(HopBytes, OneCoreAMachineIsDearerForBruck) {
  for (int machines = 4; machines <= 64; ++machines) {
    EXPECT_GT(hops("bruck", machines, 1, true), hops("sparbit", machines, 1, false)) << machines;
  }
}

TEST(Links, MostLoadedOne) {
  const topology::SwitchTree tree = topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3]\n");
  const std::vector<int> host{0, 1, 2, 3};
  const auto load = [&](std::string_view text) {
    const algorithms::Choice chosen = choice(text);
    algorithms::Problem problem = algorithms::problem_for(chosen, 4);
    problem.switches = &tree;
    problem.host = host;
    return most_loaded_link_bytes(*chosen.algorithm, problem);
  };
  EXPECT_EQ(load("ring"), 3);    // every link carries each block but one
  EXPECT_EQ(load("linear"), 4);  // a-b: two blocks to each of two hosts
  const std::vector<int> one_host(4, 2);
  algorithms::Problem problem{.ranks = 4, .switches = &tree, .host = one_host};
  EXPECT_EQ(most_loaded_link_bytes(*algorithms::find_algorithm("ring"), problem), 0);
}

}  // namespace
}  // namespace gatherbench::analysis
