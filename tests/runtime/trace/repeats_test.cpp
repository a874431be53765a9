// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gatherbench::trace {
namespace {

using formats::TraceOperation;
using testing::ElementsAre;
using Turn = Repeats::Turn;

constexpr std::uint64_t sample = 4;

std::vector<Turn> turns(std::int64_t communicator, int calls, Size size = {8, 64}) {
  Repeats repeats;
  std::vector<Turn> found;
  for (int i = 0; i < calls; ++i) {
    found.push_back(repeats.next(communicator, TraceOperation::Allgather, size, sample));
  }
  return found;
}

TEST(Repeats, RecordsTheFirstAndOneOfEachSample) {
  const std::vector<Turn> found = turns(1, 1 + 100 * sample);
  EXPECT_EQ(found.front(), Turn::first);
  std::vector<std::ptrdiff_t> places(sample);
  for (auto round = found.begin() + 1; round != found.end(); round += sample) {
    EXPECT_EQ(std::count(round, round + sample, Turn::drawn), 1);
    EXPECT_EQ(std::count(round, round + sample, Turn::left_out), sample - 1);
    ++places[static_cast<std::size_t>(std::find(round, round + sample, Turn::drawn) - round)];
  }
  for (const std::ptrdiff_t count : places) EXPECT_GT(count, 10) << "each place is drawn at times";
}

TEST(Repeats, RecordsAllWhereEachSampleIsOneCall) {
  Repeats repeats;
  const auto next = [&] { return repeats.next(1, TraceOperation::Bcast, {8, 8}, 1); };
  EXPECT_THAT((std::vector{next(), next(), next()}),
              ElementsAre(Turn::first, Turn::drawn, Turn::drawn));
}

TEST(Repeats, RanksOfACommunicatorChooseAlikeAndOtherCommunicatorsDoNot) {
  EXPECT_EQ(turns(1, 200, {8, 64}), turns(1, 200, {24, 64})) << "the own bytes are not shared";
  EXPECT_NE(turns(1, 200), turns(2, 200));
}

TEST(Repeats, CountsCallsThatAreAlikeTogether) {
  Repeats repeats;
  const auto next = [&](TraceOperation operation, std::int64_t total_bytes) {
    return repeats.next(1, operation, {8, total_bytes}, sample);
  };
  EXPECT_EQ(next(TraceOperation::Allgather, 64), Turn::first);
  EXPECT_EQ(next(TraceOperation::Allgather, 128), Turn::first) << "it can be halved once more";
  EXPECT_NE(next(TraceOperation::Allgather, 127), Turn::first) << "as often as 64";
  EXPECT_EQ(next(TraceOperation::Bcast, 64), Turn::first);
  EXPECT_EQ(next(TraceOperation::Alltoallv, 64), Turn::first);
  EXPECT_NE(next(TraceOperation::Alltoallv, 4096), Turn::first) << "ranks share no size of it";
}

}  // namespace
}  // namespace gatherbench::trace
