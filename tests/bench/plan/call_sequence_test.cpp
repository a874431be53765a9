// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/call_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using formats::RankTrace;
using testing::ElementsAre;
using testing::HasSubstr;

/// A run whose calls a test makes up.
class Program {
 public:
  explicit Program(int ranks) : traces_(static_cast<std::size_t>(ranks)), calls_(1000) {
    for (int rank = 0; rank < ranks; ++rank) {
      RankTrace& trace = traces_[static_cast<std::size_t>(rank)];
      trace.rank = rank;
      trace.ranks = ranks;
      trace.is_whole = true;
    }
  }
  /// A communicator's ranks, in its order; returns its number in the files.
  std::uint32_t communicator(const std::vector<int>& members) {
    members_.push_back(members);
    const auto number = static_cast<std::uint32_t>(members_.size() - 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
      of(members[i]).communicators[number] = {100 + number, static_cast<int>(i),
                                              static_cast<int>(members.size())};
    }
    return number;
  }
  /// All ranks come at once, and leave 5 ns later.
  void call(std::uint32_t communicator, const std::vector<std::int64_t>& blocks,
            std::int64_t arrival_ns) {
    std::int64_t total = 0;
    for (const std::int64_t bytes : blocks) total += bytes;
    const std::vector<int>& members = members_[communicator];
    for (std::size_t i = 0; i < members.size(); ++i) {
      of(members[i])
          .records.push_back({arrival_ns, arrival_ns + 5, blocks[i], total, communicator,
                              calls_[communicator], 0, formats::TraceOperation::Allgatherv, 0});
    }
    ++calls_[communicator];
  }
  RankTrace& of(int rank) { return traces_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] CallSequence sequence(std::optional<std::int64_t> most = {}) const {
    return make_sequence("--replay", "t", traces_, most);
  }
  [[nodiscard]] std::string refusal(std::optional<std::int64_t> most = {}) const {
    return message_of([&] { (void)sequence(most); });
  }

 private:
  std::vector<RankTrace> traces_;
  std::vector<std::vector<int>> members_;
  std::vector<std::uint32_t> calls_;
};

std::vector<std::pair<std::size_t, std::int64_t>> calls_of(const CallSequence& sequence, int rank) {
  std::vector<std::pair<std::size_t, std::int64_t>> calls;
  for (const RankCall& call : sequence.of_ranks[static_cast<std::size_t>(rank)]) {
    calls.emplace_back(call.shape, call.gap_ns);
  }
  return calls;
}

/// Ranks 0 to 2, then 2 and 0 while rank 1 computes, then all again.
Program three_ranks() {
  Program run(3);
  const std::uint32_t all = run.communicator({0, 1, 2});
  const std::uint32_t two = run.communicator({2, 0});
  run.call(all, {8, 8, 8}, 100);
  run.call(two, {4, 16}, 200);
  run.call(all, {8, 8, 8}, 300);
  return run;
}

TEST(CallSequence, HasEachShapeOnceAndEachRanksCallsInItsOrder) {
  const CallSequence sequence = three_ranks().sequence();
  EXPECT_THAT(sequence.members, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(2, 0)));
  ASSERT_EQ(sequence.shapes.size(), 2);
  EXPECT_THAT(sequence.shapes[1].block_bytes, ElementsAre(4, 16));
  EXPECT_THAT(sequence.calls, ElementsAre(0, 1, 0));
  using testing::Pair;
  EXPECT_THAT(calls_of(sequence, 0), ElementsAre(Pair(0, 0), Pair(1, 95), Pair(0, 95)));
  EXPECT_THAT(calls_of(sequence, 1), ElementsAre(Pair(0, 0), Pair(0, 195)));
  EXPECT_EQ(sequence.longest_gap_ns(), 195);
  EXPECT_EQ(sequence.shortest_ns(), 195);
  EXPECT_EQ(sequence.left_out, 0);
}

TEST(CallSequence, WithoutGapsTheCallsAreTheSame) {
  CallSequence sequence = three_ranks().sequence();
  sequence.drop_gaps();
  EXPECT_THAT(calls_of(sequence, 1), ElementsAre(testing::Pair(0, 0), testing::Pair(0, 0)));
  EXPECT_EQ(sequence.shortest_ns(), 0);
}

TEST(CallSequence, TheFirstGapIsSinceTheFirstRankCame) {
  Program run(2);
  const std::uint32_t all = run.communicator({0, 1});
  run.call(all, {1, 1}, 100);
  run.of(1).records[0].arrival_ns += 40;
  run.of(1).records[0].exit_ns += 40;
  EXPECT_EQ(run.sequence().of_ranks[1][0].gap_ns, 40);
  run.of(1).clock = {{0, 1000}, {1000, 2000}};  // it came 1040 ns later than rank 0
  EXPECT_EQ(run.sequence().of_ranks[1][0].gap_ns, 1040);
}

TEST(CallSequence, CommunicatorsOfTheSameRanksInTheSameOrderAreOne) {
  Program run(2);
  const std::uint32_t first = run.communicator({0, 1});
  const std::uint32_t same = run.communicator({0, 1});
  const std::uint32_t reversed = run.communicator({1, 0});
  run.call(first, {1, 2}, 100);
  run.call(same, {1, 2}, 200);
  run.call(reversed, {1, 2}, 300);
  const CallSequence sequence = run.sequence();
  EXPECT_THAT(sequence.calls, ElementsAre(0, 0, 1));
  EXPECT_THAT(sequence.members, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 0)));
}

TEST(CallSequence, TheFirstCallsAreThoseThatCameFirst) {
  const CallSequence sequence = three_ranks().sequence(2);
  EXPECT_THAT(sequence.calls, ElementsAre(0, 1));
  EXPECT_EQ(sequence.of_ranks[1].size(), 1);
  EXPECT_THAT(three_ranks().refusal(4),
              HasSubstr("--replay-calls: '4' is more than the trace has; legal: 1 to 3"));
}

TEST(CallSequence, OfACutTraceTheCallsRemainThatAllRanksHave) {
  Program run = three_ranks();
  run.of(2).records.pop_back();
  EXPECT_THAT(run.refusal(), HasSubstr("and no file is cut off; legal: the files of one run"));
  run.of(2).is_whole = false;
  const CallSequence sequence = run.sequence();
  EXPECT_EQ(sequence.left_out, 1);
  EXPECT_THAT(sequence.calls, ElementsAre(0, 1));
  EXPECT_EQ(sequence.of_ranks[1].size(), 1);
}

TEST(CallSequence, OfACommunicatorThatARankNeverWroteDownNothingRemains) {
  Program run = three_ranks();
  run.of(2).records.resize(1);
  run.of(2).communicators.erase(1);
  run.of(2).is_whole = false;
  EXPECT_THAT(run.sequence().calls, ElementsAre(0));
  EXPECT_EQ(run.sequence().left_out, 2);
}

TEST(CallSequence, RefusesWhatDoesNotFitTogether) {
  Program run = three_ranks();
  run.of(1).records[1].bytes = 9;
  EXPECT_THAT(run.refusal(), HasSubstr("--replay: 't' a rank of ranks 0,1,2 has a call of 24 bytes "
                                       "in all on record, and the blocks of all have another sum"));
  run = three_ranks();
  run.of(1).communicators[0].rank = 2;
  EXPECT_THAT(run.refusal(), HasSubstr("which other ranks contradict"));
  run = three_ranks();
  run.of(1).communicators[0].ranks = 4;
  EXPECT_THAT(run.refusal(), HasSubstr("which other ranks contradict"));
}

TEST(CallSequence, RefusesOrdersInWhichRanksWouldWaitForEver) {
  Program run(2);
  const std::uint32_t one = run.communicator({0, 1});
  const std::uint32_t other = run.communicator({1, 0});
  run.call(one, {1, 1}, 100);
  run.call(other, {1, 1}, 200);
  std::swap(run.of(1).records[0], run.of(1).records[1]);
  EXPECT_THAT(run.refusal(), HasSubstr("in orders in which each would wait for another"));
}

TEST(CallSequence, RefusesCallsOfARankThatOverlap) {
  Program run = three_ranks();
  run.of(1).records[0].exit_ns = 400;
  EXPECT_THAT(run.refusal(), HasSubstr("rank 1 came to a call before it left another"));
}

}  // namespace
}  // namespace gatherbench::bench
