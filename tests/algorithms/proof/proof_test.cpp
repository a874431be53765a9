// SPDX-License-Identifier: BSD-3-Clause
//
// The proof has to find faults: each test plants one in a schedule that was proven before.
#include "algorithms/proof/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "algorithms/topology/switch_tree.h"
#include "tests/pairwise_alltoall.h"
#include "tests/schedule_of.h"

namespace gatherbench::proof {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Part {
  int rank;
  std::size_t step;
  bool is_send;
  int peer;
  algorithms::BlockRange blocks;
};

/// Copies schedules and lets `change` alter, or drop by returning false, each range of blocks.
std::vector<algorithms::Schedule> altered(const std::vector<algorithms::Schedule>& originals,
                                          const std::function<bool(Part&)>& change) {
  std::vector<algorithms::Schedule> copies;
  for (std::size_t rank = 0; rank < originals.size(); ++rank) {
    algorithms::Schedule copy;
    copy.segmentation = originals[rank].segmentation;
    for (std::size_t s = 0; s < originals[rank].steps(); ++s) {
      copy.begin_step();
      const algorithms::Step step = originals[rank].step(s);
      for (const bool is_send : {true, false}) {
        const algorithms::TransferList::Transfers transfers = is_send ? step.sends : step.receives;
        for (std::size_t i = 0; i < transfers.size(); ++i) {
          for (const algorithms::BlockRange& blocks : transfers[i].blocks) {
            Part part{static_cast<int>(rank), s, is_send, transfers[i].peer, blocks};
            if (!change(part)) continue;
            if (is_send) {
              copy.send(part.peer, part.blocks);
            } else {
              copy.receive(part.peer, part.blocks);
            }
          }
        }
      }
    }
    copies.push_back(std::move(copy));
  }
  return copies;
}

std::vector<algorithms::Schedule> schedules_of(std::string_view text, int ranks) {
  const algorithms::Choice chosen = choice(text);
  return algorithms::make_schedules(*chosen.algorithm, algorithms::problem_for(chosen, ranks));
}

std::vector<algorithms::Schedule> ring_of_5() { return schedules_of("ring", 5); }

TEST(Proof, AcceptsTheUnaltered) {
  EXPECT_THAT(prove(altered(ring_of_5(), [](Part&) { return true; })).fault, IsEmpty());
}

TEST(Proof, FindsAWrongPeer) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.rank == 2 && part.step == 1 && part.is_send) part.peer = 0;
    return true;
  });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("waits for ever"));
}

TEST(Proof, FindsAWrongPeerInEveryAlgorithm) {
  for (const algorithms::Algorithm* const one :
       algorithms::algorithms_of(&collectives::allgather)) {
    const algorithms::Algorithm& algorithm = *one;
    const bool has_step_1 = !algorithm.contention_free && algorithm.schedules() != nullptr &&
                            !algorithm.is<algorithms::FromFile>() &&
                            schedule_of(algorithm.name, 3, 8).steps() > 1;
    // altered() knows neither barriers nor tokens.
    const bool has_others =
        algorithm.barriers.has_value() || algorithm.name.find("light") != std::string_view::npos;
    if (!has_step_1 || has_others) continue;
    const auto faulty = altered(schedules_of(algorithm.name, 8), [](Part& part) {
      if (part.rank == 3 && part.step == 1 && part.is_send) part.peer = (part.peer + 1) % 8;
      return true;
    });
    EXPECT_FALSE(prove(faulty, {.collective = algorithm.kind}).fault.empty()) << algorithm.name;
  }
}

TEST(Proof, FindsABlockThatIsNotHeld) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.step == 0) part.blocks.first = (part.blocks.first + 1) % 5;
    return true;
  });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("does not hold"));
}

TEST(Proof, FindsAReceivedTwice) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    const int sender = part.is_send ? part.rank : part.peer;
    if (part.step == 3) part.blocks.first = sender;  // each sends its own block again
    return true;
  });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("a second time"));
}

TEST(Proof, FindsAMissingBlock) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    const int sender = part.is_send ? part.rank : part.peer;
    return !(part.step == 3 && sender == 4);
  });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("never receives"));
}

TEST(Proof, FindsASendWithoutItsReceive) {
  const auto faulty = altered(
      ring_of_5(), [](Part& part) { return !(part.step == 3 && part.rank == 1 && !part.is_send); });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("waits for ever for 1 to receive"));
}

TEST(Proof, FindsOtherBlocksOnTheOtherSide) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.step == 0 && part.rank == 1 && !part.is_send) part.blocks.first = 3;
    return true;
  });
  EXPECT_THAT(prove(faulty).fault, HasSubstr("other blocks"));
}

TEST(Proof, FindsAnotherOrderInScratch) {
  for (int p = 1; p <= 40; ++p) {
    EXPECT_THAT(prove(schedules_of("bruck", p)).fault, IsEmpty()) << p;
  }
  std::vector<algorithms::Schedule> schedules = schedules_of("bruck", 5);
  schedules[4].scratch_first_block = 0;  // it sends blocks 4 and 0 to rank 2
  EXPECT_EQ(prove(schedules).fault,
            "rank 4 in step 1 sends blocks to 2 that lie in another order there: "
            "scratch_first_block is 0 and 2");
}

TEST(Proof, FindsADeadlockThatBufferingWouldHide) {
  // Both ranks send first and receive in a later step.
  std::vector<algorithms::Schedule> schedules(2);
  for (int rank = 0; rank < 2; ++rank) {
    algorithms::Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    schedule.send(1 - rank, {rank, 1});
    schedule.begin_step();
    schedule.receive(1 - rank, {1 - rank, 1});
  }
  EXPECT_THAT(prove(schedules).fault, HasSubstr("waits for ever"));
}

TEST(Proof, FindsPeersAndBlocksThatDoNotExist) {
  for (const int peer : {-1, 1, 5}) {
    const auto faulty = altered(ring_of_5(), [peer](Part& part) {
      if (part.rank == 1 && part.step == 0 && part.is_send) part.peer = peer;
      return true;
    });
    EXPECT_THAT(prove(faulty).fault, HasSubstr("is no other rank")) << peer;
  }
  for (const algorithms::BlockRange blocks :
       {algorithms::BlockRange{-1, 1}, {5, 1}, {4, 2}, {0, 0}}) {
    const auto faulty = altered(ring_of_5(), [blocks](Part& part) {
      if (part.rank == 1 && part.step == 0 && part.is_send) part.blocks = blocks;
      return true;
    });
    EXPECT_THAT(prove(faulty).fault, HasSubstr("do not exist")) << blocks.first;
  }
}

TEST(Proof, FindsAPeerTwiceInAStep) {
  std::vector<algorithms::Schedule> schedules(3);
  for (int rank = 0; rank < 3; ++rank) {
    algorithms::Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    for (const int peer : {(rank + 1) % 3, (rank + 2) % 3, (rank + 1) % 3}) {
      schedule.send(peer, {rank, 1});
    }
  }
  EXPECT_THAT(prove(schedules).fault, HasSubstr("twice in one direction"));
}

TEST(Proof, ComparesWithTheRow) {
  const algorithms::Formula nine{
      "9", [](const algorithms::Problem&) -> std::optional<std::int64_t> { return 9; }};
  const algorithms::Choice chosen = choice("bruck");
  const algorithms::Problem problem = algorithms::problem_for(chosen, 8);
  algorithms::Algorithm wrong = *chosen.algorithm;
  wrong.steps = nine;
  EXPECT_EQ(prove(wrong, problem).fault, "takes 3 steps where its row states 9 = 9");
  wrong = *chosen.algorithm;
  wrong.messages = nine;
  EXPECT_EQ(prove(wrong, problem).fault, "sends 24 messages where its row states 9 = 9");
  wrong = *chosen.algorithm;
  wrong.bytes = nine;
  EXPECT_EQ(prove(wrong, problem).fault, "sends 56 bytes where its row states 9 = 9");
  wrong = *chosen.algorithm;
  wrong.barriers = nine;
  EXPECT_EQ(prove(wrong, problem).fault, "has 0 barriers where its row states 9 = 9");
  wrong = *algorithms::find_algorithm("shift_mpi_barrier");
  wrong.barriers.reset();
  EXPECT_EQ(prove(wrong, {.ranks = 8}).fault, "has 6 barriers where its row states none");
}

TEST(Proof, FindsABlockMovedTwiceUnlessTheRowSaysSo) {
  const algorithms::Choice chosen = choice("gather_bcast");
  algorithms::Algorithm wrong = *chosen.algorithm;
  EXPECT_THAT(prove(wrong, problem_for(chosen, 8)).fault, IsEmpty());
  wrong.moves_twice = false;
  EXPECT_THAT(prove(wrong, problem_for(chosen, 8)).fault, HasSubstr("a second time"));
}

TEST(Proof, FindsABlockThatIsWrittenWhileItIsRead) {
  std::vector<algorithms::Schedule> schedules(2);
  for (int rank = 0; rank < 2; ++rank) {
    algorithms::Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    schedule.send(1 - rank, {rank, 1});
    schedule.receive(1 - rank, {1 - rank, 1});
    schedule.begin_step();
    schedule.send(1 - rank, {0, 1});
    schedule.receive(1 - rank, {0, 1});
  }
  EXPECT_THAT(prove(schedules, {.moves_twice = true}).fault,
              HasSubstr("sends and receives block 0"));
}

TEST(Proof, FindsABarrierThatOneRankMisses) {
  std::vector<algorithms::Schedule> schedules = schedules_of("shift_mpi_barrier", 4);
  schedules[2] = schedule_of("shift", 2, 4);
  EXPECT_THAT(prove(schedules).fault, HasSubstr("waits for ever"));
  // One barrier too many on one rank, after everything has moved.
  schedules = schedules_of("shift", 4);
  schedules[1].begin_step(true);
  EXPECT_THAT(prove(schedules).fault, HasSubstr("waits for ever in a barrier"));
}

TEST(Proof, FindsATokenThatNobodyTakes) {
  std::vector<algorithms::Schedule> schedules = schedules_of("shift", 3);
  schedules[1].begin_step();
  schedules[1].send_token(2);
  EXPECT_THAT(prove(schedules).fault, HasSubstr("waits for ever for 2 to receive"));
}

TEST(Proof, FindsABroadcastOfWhatRank0HasNot) {
  std::vector<algorithms::Schedule> schedules = schedules_of("linear_gather_bcast", 4);
  EXPECT_THAT(prove(schedules).fault, IsEmpty());
  algorithms::Schedule none;
  none.broadcast_at_end = true;
  schedules = {none, none};
  EXPECT_THAT(prove(schedules).fault, HasSubstr("broadcasts block 1 but does not hold it"));
  schedules = schedules_of("linear_gather_bcast", 4);
  schedules[3].broadcast_at_end = false;
  EXPECT_THAT(prove(schedules).fault, HasSubstr("another kind of schedule"));
}

TEST(Proof, CountsSegmentsByTheirBytes) {
  const std::vector<std::int64_t> sizes{10, 0, 3, 8};
  const algorithms::Choice chosen = choice("pipelined_ring:segment=4");
  algorithms::Problem problem = algorithms::problem_for(chosen, 4);
  problem.block_bytes = sizes;
  const ProofResult result = prove(*chosen.algorithm, problem);
  EXPECT_THAT(result.fault, IsEmpty());
  EXPECT_EQ(result.bytes, 3 * 21);
  EXPECT_EQ(result.steps, 3 + 1 + 1 + 2 - 1);
}

// bdr's pre-steps: rank 0 comes late.
TEST(Proof, FindsFaultsInWhatIsSentAhead) {
  const algorithms::Choice chosen = choice("bdr");
  const std::vector<double> arrivals{2.5, 0, 0, 1, 0};
  algorithms::Problem problem = algorithms::problem_for(chosen, 5);
  problem.arrival_us = arrivals;
  problem.message_us = 1;
  const std::vector<algorithms::Schedule> good =
      algorithms::make_schedules(*chosen.algorithm, problem);
  EXPECT_THAT(prove(good).fault, IsEmpty());
  const auto is_first = [](const Part& part) {
    return part.step == 0 && (part.is_send ? part.rank : part.peer) == 1;
  };
  EXPECT_THAT(prove(altered(good, [&](Part& part) { return !is_first(part); })).fault,
              HasSubstr("never receives block 1"));
  EXPECT_THAT(
      prove(altered(good, [&](Part& part) { return part.is_send || !is_first(part); })).fault,
      HasSubstr("waits for ever"));
  EXPECT_THAT(prove(altered(good,
                            [&](Part& part) {
                              if (is_first(part)) part.blocks.first = 2;
                              return true;
                            }))
                  .fault,
              HasSubstr("rank 1 in step 0 sends block 2 to 0 but does not hold it"));
}

TEST(Proof, FindsRanksThatBelieveInOtherArrivals) {
  const algorithms::Choice chosen = choice("bdr");
  const std::vector<double> arrivals{2.5, 0, 0, 1, 0};
  algorithms::Problem problem = algorithms::problem_for(chosen, 5);
  problem.arrival_us = arrivals;
  problem.message_us = 1;
  algorithms::Algorithm wrong = *chosen.algorithm;
  EXPECT_THAT(prove(wrong, problem).fault, IsEmpty());
  const auto run = [&](algorithms::Generator* of_rank) {
    wrong.how = algorithms::ByArrivals{{.of_rank = of_rank}};
  };
  run([](const algorithms::Problem& one) {
    algorithms::Problem other = one;
    if (one.rank == 3) other.message_us = 1.4;  // one pre-step where the others have two
    return algorithms::find_algorithm("bdr")->schedules()->of_rank(other);
  });
  EXPECT_FALSE(prove(wrong, problem).fault.empty());
  // The ring goes on as if nothing had been sent ahead.
  run([](const algorithms::Problem& one) {
    algorithms::Schedule all = algorithms::find_algorithm("bdr")->schedules()->of_rank(one);
    const algorithms::Schedule ring = algorithms::find_algorithm("ring")->schedules()->of_rank(one);
    for (std::size_t s = 0; s < ring.steps(); ++s) {
      const algorithms::Step step = ring.step(s);
      all.begin_step();
      all.send(step.sends[0].peer, step.sends[0].blocks[0]);
      all.receive(step.receives[0].peer, step.receives[0].blocks[0]);
    }
    return all;
  });
  EXPECT_THAT(prove(wrong, problem).fault, HasSubstr("a second time"));
}

TEST(Proof, FindsContention) {
  const auto tree = std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse(
      "test", "SwitchName=a Nodes=h[0-1] Switches=b\nSwitchName=b Nodes=h[2-3]\n"));
  const algorithms::Choice chosen = choice("topology_ring");
  algorithms::Problem problem = algorithms::problem_for(chosen, 4);
  const std::vector<int> host{0, 2, 1, 3};
  problem.network = tree.get();
  problem.host = host;
  EXPECT_THAT(prove(*chosen.algorithm, problem).fault, IsEmpty());
  algorithms::Algorithm wrong = *chosen.algorithm;
  algorithms::Schedules schedules = *wrong.schedules();
  schedules.order = [](const algorithms::Problem&) { return std::vector<int>{0, 1, 2, 3}; };
  wrong.how = schedules;
  EXPECT_THAT(prove(wrong, problem).fault, HasSubstr("step 0"));
}

TEST(Proof, TakesTheCollectiveFromItsRow) {
  const std::vector<algorithms::Schedule> schedules = pairwise_alltoall(5);
  const Assumptions assumptions{.collective = &alltoall};
  const ProofResult result = prove(schedules, assumptions);
  EXPECT_THAT(result.fault, IsEmpty());
  EXPECT_EQ(result.bytes, 5 * 4);
  // They are no all-gather, and rank 2 wants the block of rank 1 for it, number 7.
  EXPECT_THAT(prove(schedules).fault, HasSubstr("sends block 1 to 1 but does not hold it"));
  const auto lacks_one = altered(schedules, [](Part& part) { return part.blocks.first != 7; });
  EXPECT_EQ(prove(lacks_one, assumptions).fault, "rank 2 never receives block 7");
  // A rank cannot send a block that it does not have before: rank 3 begins with 15 to 19.
  const auto others = altered(schedules, [](Part& part) {
    if (part.is_send && part.rank == 3 && part.step == 0) part.blocks.first = 4;
    return true;
  });
  EXPECT_EQ(prove(others, assumptions).fault,
            "rank 3 in step 0 sends block 4 to 4 but does not hold it");
}

}  // namespace
}  // namespace gatherbench::proof
