// SPDX-License-Identifier: BSD-3-Clause
//
// The proof has to find faults: each test plants one in a schedule that was proven before.
#include "algorithms/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gatherbench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Part {
  int rank;
  std::size_t step;
  bool is_send;
  int peer;
  BlockRange blocks;
};

/// Copies schedules and lets `change` alter, or drop by returning false, each range of blocks.
std::vector<Schedule> altered(const std::vector<Schedule>& originals,
                              const std::function<bool(Part&)>& change) {
  std::vector<Schedule> copies;
  for (std::size_t rank = 0; rank < originals.size(); ++rank) {
    Schedule copy;
    for (std::size_t s = 0; s < originals[rank].steps(); ++s) {
      copy.begin_step();
      const Step step = originals[rank].step(s);
      for (const bool is_send : {true, false}) {
        const Lane::Transfers transfers = is_send ? step.sends : step.receives;
        for (std::size_t i = 0; i < transfers.size(); ++i) {
          for (const BlockRange& blocks : transfers[i].blocks) {
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

std::vector<Schedule> ring_of_5() { return make_schedules(*find_algorithm("ring"), 5); }

TEST(Check, AcceptsTheUnaltered) {
  EXPECT_THAT(check(altered(ring_of_5(), [](Part&) { return true; })).fault, IsEmpty());
}

TEST(Check, FindsAWrongPeer) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.rank == 2 && part.step == 1 && part.is_send) part.peer = 0;
    return true;
  });
  EXPECT_THAT(check(faulty).fault, HasSubstr("waits for ever"));
}

TEST(Check, FindsAWrongPeerInEveryAlgorithm) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.schedule == nullptr) continue;
    const auto faulty = altered(make_schedules(algorithm, 8), [](Part& part) {
      if (part.rank == 3 && part.step == 1 && part.is_send) part.peer = (part.peer + 1) % 8;
      return true;
    });
    EXPECT_FALSE(check(faulty).fault.empty()) << algorithm.name;
  }
}

TEST(Check, FindsABlockThatIsNotHeld) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.step == 0) part.blocks.first = (part.blocks.first + 1) % 5;
    return true;
  });
  EXPECT_THAT(check(faulty).fault, HasSubstr("does not hold"));
}

TEST(Check, FindsAReceivedTwice) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    const int sender = part.is_send ? part.rank : part.peer;
    if (part.step == 3) part.blocks.first = sender;  // each sends its own block again
    return true;
  });
  EXPECT_THAT(check(faulty).fault, HasSubstr("a second time"));
}

TEST(Check, FindsAMissingBlock) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    const int sender = part.is_send ? part.rank : part.peer;
    return !(part.step == 3 && sender == 4);
  });
  EXPECT_THAT(check(faulty).fault, HasSubstr("never receives"));
}

TEST(Check, FindsASendWithoutItsReceive) {
  const auto faulty = altered(
      ring_of_5(), [](Part& part) { return !(part.step == 3 && part.rank == 1 && !part.is_send); });
  EXPECT_THAT(check(faulty).fault, HasSubstr("waits for ever for 1 to receive"));
}

TEST(Check, FindsOtherBlocksOnTheOtherSide) {
  const auto faulty = altered(ring_of_5(), [](Part& part) {
    if (part.step == 0 && part.rank == 1 && !part.is_send) part.blocks.first = 3;
    return true;
  });
  EXPECT_THAT(check(faulty).fault, HasSubstr("other blocks"));
}

TEST(Check, FindsADeadlockThatBufferingWouldHide) {
  // Both send first and receive in a later step.
  std::vector<Schedule> schedules(2);
  for (int rank = 0; rank < 2; ++rank) {
    Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    schedule.send(1 - rank, {rank, 1});
    schedule.begin_step();
    schedule.receive(1 - rank, {1 - rank, 1});
  }
  EXPECT_THAT(check(schedules).fault, HasSubstr("waits for ever"));
}

TEST(Check, FindsPeersAndBlocksThatDoNotExist) {
  for (const int peer : {-1, 1, 5}) {
    const auto faulty = altered(ring_of_5(), [peer](Part& part) {
      if (part.rank == 1 && part.step == 0 && part.is_send) part.peer = peer;
      return true;
    });
    EXPECT_THAT(check(faulty).fault, HasSubstr("is no other rank")) << peer;
  }
  for (const BlockRange blocks : {BlockRange{-1, 1}, {5, 1}, {4, 2}, {0, 0}}) {
    const auto faulty = altered(ring_of_5(), [blocks](Part& part) {
      if (part.rank == 1 && part.step == 0 && part.is_send) part.blocks = blocks;
      return true;
    });
    EXPECT_THAT(check(faulty).fault, HasSubstr("do not exist")) << blocks.first;
  }
}

TEST(Check, FindsAPeerTwiceInAStep) {
  std::vector<Schedule> schedules(3);
  for (int rank = 0; rank < 3; ++rank) {
    Schedule& schedule = schedules[static_cast<std::size_t>(rank)];
    schedule.begin_step();
    for (const int peer : {(rank + 1) % 3, (rank + 2) % 3, (rank + 1) % 3}) {
      schedule.send(peer, {rank, 1});
    }
  }
  EXPECT_THAT(check(schedules).fault, HasSubstr("twice in one direction"));
}

TEST(Check, ComparesWithTheRow) {
  Algorithm wrong = *find_algorithm("bruck");
  wrong.steps = {"p", [](std::int64_t p) { return p; }};
  EXPECT_THAT(check(wrong, 8).fault, HasSubstr("takes 3 steps where its row states p = 8"));
  wrong = *find_algorithm("bruck_in_place");
  wrong.messages = find_algorithm("bruck")->messages;
  EXPECT_THAT(check(wrong, 8).fault, HasSubstr("messages where its row states"));
}

}  // namespace
}  // namespace gatherbench
