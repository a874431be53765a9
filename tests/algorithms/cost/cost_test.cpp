// SPDX-License-Identifier: BSD-3-Clause
//
// The sum over a schedule against the papers' closed forms, and the short cuts against going
// through every rank.
#include "algorithms/cost/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/proof/trials.h"
#include "algorithms/symmetry.h"
#include "algorithms/topology/switch_tree.h"
#include "distributions/block_sizes.h"
#include "tests/schedule_of.h"

namespace gatherbench::cost {
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

// Loch 2021, 4.3: (p - log2 p - 1) tau + ceil(log2 p) alpha + (p-1) m/p beta for Sparbit, whose
// blocks do not lie together; the others send a step in one message. His p is a power of two.
TEST(Hockney, TauIsOfFurtherMessages) {
  constexpr Hockney with_tau{.alpha = 3e-6, .beta = 2e-9, .tau = 5e-7};
  const auto further = [&](std::string_view text, int ranks) {
    const algorithms::Choice chosen = choice(text);
    const algorithms::Problem problem = algorithms::problem_for(chosen, ranks);
    const double all = hockney_seconds(port_uses(*chosen.algorithm, problem, true), with_tau, c);
    return (all - seconds(text, ranks)) / with_tau.tau;
  };
  for (const int p : {2, 4, 8, 16, 64, 128}) {
    EXPECT_NEAR(further("sparbit", p), p - std::log2(p) - 1, 1e-6) << p;
    for (const char* const name : {"ring", "bruck", "recursive_doubling", "neighbor_exchange"}) {
      EXPECT_NEAR(further(name, p), 0, 1e-6) << name << " " << p;
    }
  }
  // Rank 0 of Bruck in place sends blocks 0 to k-1, which lie together; others wrap around the end.
  EXPECT_NEAR(further("bruck_in_place", 8), 2, 1e-6);
}

// A list of blocks may ascend or descend, and goes on behind the last block of a scratch buffer.
TEST(Hockney, BlocksThatLieTogetherAreOneMessage) {
  struct {
    std::vector<algorithms::BlockRange> blocks;
    int scratch_first_block;
    std::int64_t messages;
    std::int64_t on_a_circle;
  } const rows[] = {
      {{}, 0, 1, 1},
      {{{2, 3}}, 0, 1, 1},
      {{{1, 1}, {2, 3}}, 0, 1, 1},
      {{{3, 1}, {2, 1}, {1, 1}}, 0, 1, 1},
      {{{3, 1}, {4, 1}, {1, 2}}, 0, 1, 1},
      {{{4, 1}, {2, 1}, {1, 1}}, 0, 2, 2},
      {{{1, 1}, {3, 1}, {2, 1}}, 0, 2, 1},  // on a circle the first run follows the last one
      {{{7, 1}, {0, 1}}, 0, 2, 1},
      {{{7, 1}, {0, 1}}, 7, 1, 1},
      {{{0, 1}, {7, 1}}, 7, 1, 1},
      {{{2, 4}}, 4, 2, 1},  // the scratch buffer begins within the range
      {{{0, 8}}, 4, 1, 1},
  };
  for (const auto& row : rows) {
    const algorithms::Transfer transfer{.peer = 1, .blocks = row.blocks};
    EXPECT_EQ(messages::count_messages(transfer, row.scratch_first_block, 8), row.messages)
        << "row " << &row - rows;
    EXPECT_EQ(messages::count_cyclic_messages(transfer, 8), row.on_a_circle)
        << "row " << &row - rows;
  }
}

// Loch 2021, 4.3: batches of K blocks take ceil(k / K) messages where k blocks took k. Of 64 ranks
// Sparbit sends 1, 2, 4, 8, 16 and 32 blocks.
TEST(Hockney, BatchesAreFewerMessages) {
  const algorithms::Choice chosen = choice("sparbit");
  const algorithms::Problem problem = algorithms::problem_for(chosen, 64);
  const auto further = [&](std::int64_t batch) {
    return port_uses(*chosen.algorithm, problem, true, batch).front().further_messages;
  };
  EXPECT_EQ(further(1), 57);
  EXPECT_EQ(further(2), 0 + 0 + 1 + 3 + 7 + 15);
  EXPECT_EQ(further(5), 0 + 0 + 0 + 1 + 3 + 6);
  EXPECT_EQ(further(32), 0);
}

// Computed by hand: p = 6 takes 3 doublings, and 5 blocks to come in.
TEST(Hockney, Bound) {
  EXPECT_DOUBLE_EQ(hockney_bound_seconds(6, 5 * c, model), 3 * 3e-6 + 5 * 1000 * 2e-9);
  EXPECT_EQ(hockney_bound_seconds(1, 0, model), 0);
  for (const int p : {2, 3, 7, 8, 9, 64, 65}) {  // Bruck's algorithm attains it
    EXPECT_DOUBLE_EQ(hockney_bound_seconds(p, (p - 1) * c, model), seconds("bruck", p)) << p;
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

/// The node of each rank, in some disorder.
std::vector<int> scattered_nodes(int ranks) {
  std::vector<int> node;
  for (int rank = 0; rank < ranks; ++rank) node.push_back(rank * 7 % 5);
  return node;
}

// A row that claims a symmetry must cost what all its ranks' schedules cost.
TEST(Cost, SymmetriesAreTrue) {
  std::vector<algorithms::Choice> all = algorithms::parse_algorithms("--algorithms", "all");
  std::ranges::copy(algorithms::parse_algorithms("--algorithms", "all", collectives::alltoall),
                    std::back_inserter(all));
  for (const algorithms::Choice& chosen : all) {
    if (chosen.algorithm->symmetry == algorithms::Symmetry::none) continue;
    algorithms::Algorithm plain = *chosen.algorithm;
    plain.symmetry = algorithms::Symmetry::none;
    for (int p = 1; p <= 40; ++p) {
      for (const proof::Trial& trial : proof::trials(chosen, p, nullptr)) {
        const algorithms::Problem problem = trial.problem(p);
        if (algorithms::why_not(plain, problem)) continue;
        EXPECT_EQ(port_uses(*chosen.algorithm, problem), port_uses(plain, problem))
            << plain.name << " " << p << " " << trial.text;
        EXPECT_EQ(hop_bytes(*chosen.algorithm, problem, scattered_nodes(p)),
                  hop_bytes(plain, problem, scattered_nodes(p)))
            << plain.name << " " << p << " " << trial.text;
      }
    }
  }
}

// `time` and `cost` take the longer, the more different schedules they have to make. Leaders have
// schedules that differ, but of few messages.
TEST(Cost, FewSchedulesAreMadeOfManyRanks) {
  for (const char* const name : {"ring", "linear", "locality_p2p", "k_ring", "ring_bidirectional",
                                 "neighbor_exchange", "lane"}) {
    const algorithms::Choice chosen = choice(name);
    const algorithms::Problem problem = algorithms::problem_for(chosen, 4096);
    EXPECT_LE(algorithms::Representatives::of(*chosen.algorithm, problem).count(), 2) << name;
  }
}

/// The most seconds of any rank, of the bytes and peers of its own transfers.
double busiest_rank_seconds(const algorithms::Algorithm& algorithm,
                            const algorithms::Problem& problem) {
  double most = 0;
  for (const algorithms::Schedule& schedule : algorithms::make_schedules(algorithm, problem)) {
    const messages::TransferBytes bytes(
        messages::sizes_of(problem, algorithm.kind->blocks(problem.ranks)), schedule.segmentation);
    std::int64_t peers = 0;
    std::int64_t moved = 0;
    std::int64_t combined = 0;
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
      const algorithms::Step step = schedule.step(s);
      std::int64_t sent = 0;
      std::int64_t received = 0;
      for (const algorithms::Transfer transfer : step.sends) sent += bytes.of(transfer);
      for (const algorithms::Transfer transfer : step.receives) {
        received += bytes.of(transfer);
        if (transfer.incoming != algorithms::Incoming::store) combined += bytes.of(transfer);
      }
      peers += static_cast<std::int64_t>(std::max(step.sends.size(), step.receives.size()));
      moved += std::max(sent, received);
    }
    most = std::max(most, static_cast<double>(peers) * model.alpha +
                              static_cast<double>(moved) * model.beta +
                              static_cast<double>(combined) * model.gamma);
  }
  return most;
}

TEST(Cost, OfUnequalBlocksTheBusiestRankCounts) {
  int compared = 0;
  for (const algorithms::Choice& chosen : algorithms::parse_algorithms("--algorithms", "all")) {
    if (chosen.algorithm->schedules() == nullptr) continue;
    for (const distributions::NamedDistribution& named : distributions::named_distributions()) {
      for (int p = 2; p <= 20; ++p) {
        const std::vector<std::int64_t> sizes =
            distributions::block_sizes({.label = "", .named = &named}, p, 1000);
        algorithms::Problem problem = algorithms::problem_for(chosen, p);
        problem.block_bytes = sizes;
        if (algorithms::why_not(*chosen.algorithm, problem)) continue;
        ++compared;
        EXPECT_EQ(hockney_seconds(port_uses(*chosen.algorithm, problem), model),
                  busiest_rank_seconds(*chosen.algorithm, problem))
            << chosen.algorithm->name << " " << named.name << " " << p;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

// Ranks 2 and 3 take the only block in one step and pass it on in the next.
TEST(Hockney, RingOfASpike) {
  const algorithms::Choice chosen = choice("ring");
  const std::vector<std::int64_t> spike{0, 1000, 0, 0};
  algorithms::Problem problem = algorithms::problem_for(chosen, 4);
  problem.block_bytes = spike;
  EXPECT_DOUBLE_EQ(hockney_seconds(port_uses(*chosen.algorithm, problem), model),
                   3 * model.alpha + 2 * 1000 * model.beta);
}

double hops(std::string_view text, int nodes, int ranks_per_node, bool cyclic) {
  const algorithms::Choice chosen = choice(text);
  std::vector<int> node;
  for (int rank = 0; rank < nodes * ranks_per_node; ++rank) {
    node.push_back(cyclic ? rank % nodes : rank / ranks_per_node);
  }
  return hop_bytes(*chosen.algorithm, algorithms::problem_for(chosen, nodes * ranks_per_node),
                   node);
}

// They pass what an integer holds, although all blocks together do not.
TEST(Hockney, SumsUpLargeBlocks) {
  const algorithms::Choice chosen = choice("gather_bcast");
  constexpr double block = 0x1p59;
  const std::vector<std::int64_t> sizes(8, std::int64_t{1} << 59);
  algorithms::Problem problem = algorithms::problem_for(chosen, 8);
  problem.block_bytes = sizes;
  // Rank 0 gets 7 blocks, and sends all 8 three times.
  EXPECT_EQ(hockney_seconds(port_uses(*chosen.algorithm, problem), {.alpha = 0, .beta = 1}),
            (7 + 3 * 8) * block);
}

TEST(HopBytes, SumsUpLargeBlocks) {
  const algorithms::Choice chosen = choice("linear");
  constexpr double block = 0x1p60;
  const std::vector<std::int64_t> sizes(4, std::int64_t{1} << 60);
  const std::vector<int> node{0, 1, 2, 3};
  algorithms::Problem problem = algorithms::problem_for(chosen, 4);
  problem.block_bytes = sizes;
  EXPECT_EQ(hop_bytes(*chosen.algorithm, problem, node), 20 * block);
}

TEST(HopBytes, OfARing) {
  // p-1 blocks over each of the links 0-1, 1-2, 2-3 of 4 nodes, and back over all three.
  EXPECT_EQ(hops("ring", 4, 2, false), 7 * 6);
  // Every neighbour is on another node: 6 times one further, once (twice) back.
  EXPECT_EQ(hops("ring", 4, 2, true), 7 * (6 * 1 + 2 * 3));
  EXPECT_EQ(hops("ring", 1, 8, false), 0);
}

// Loch 2021, section 5.3, figures 19 and 20.
TEST(HopBytes, BruckUnderCyclicHasLocalMinimaAtPowersOfTwo) {
  for (const int ranks_per_node : {2, 4, 8, 16}) {
    for (const int nodes : {8, 16, 32}) {
      const double here = hops("bruck", nodes, ranks_per_node, true);
      EXPECT_LT(here, hops("bruck", nodes - 1, ranks_per_node, true))
          << nodes << " x " << ranks_per_node;
      EXPECT_LT(here, hops("bruck", nodes + 1, ranks_per_node, true))
          << nodes << " x " << ranks_per_node;
    }
  }
}

TEST(HopBytes, OneRankANodeIsDearerForBruck) {
  for (int nodes = 4; nodes <= 64; ++nodes) {
    EXPECT_GT(hops("bruck", nodes, 1, true), hops("sparbit", nodes, 1, false)) << nodes;
  }
}

TEST(Links, MostLoadedOne) {
  const topology::SwitchTree tree = topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3]\n");
  const std::vector<int> host{0, 1, 2, 3};
  const auto load = [&](std::string_view text) {
    const algorithms::Choice chosen = choice(text);
    algorithms::Problem problem = algorithms::problem_for(chosen, 4);
    problem.network = &tree;
    problem.host = host;
    return maximum_link_bytes(*chosen.algorithm, problem);
  };
  EXPECT_EQ(load("ring"), 3);    // every link carries each block but one
  EXPECT_EQ(load("linear"), 4);  // a-b: two blocks to each of two hosts
  const std::vector<int> one_host(4, 2);
  algorithms::Problem problem{.ranks = 4, .network = &tree, .host = one_host};
  EXPECT_EQ(maximum_link_bytes(*algorithms::find_algorithm("ring"), problem), 0);
}

}  // namespace
}  // namespace gatherbench::cost
