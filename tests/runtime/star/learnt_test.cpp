// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/learnt.h"

#include <gtest/gtest.h>

#include "runtime/star/course.h"

namespace gatherbench::star {
namespace {

const std::vector<int> ranks{0, 2, 1};
const Key key{.size = 4096};

Learnt learnt_at(std::int64_t agreed_ns) {
  return {ranks, key, {"native"}, agreed_ns, false, 0, std::make_shared<Observe>()};
}

TEST(Memory, FindsWhatWasKeptOfTheSameRanksAndKey) {
  Memory memory;
  EXPECT_EQ(memory.find(ranks, key).policy, nullptr);
  memory.keep(learnt_at(10));
  EXPECT_EQ(memory.find(ranks, key).agreed_ns, 10);
  EXPECT_EQ(memory.find({0, 1, 2}, key).policy, nullptr) << "the same ranks in another order";
  EXPECT_EQ(memory.find(ranks, {.size = 4097}).policy, nullptr);
  memory.keep(learnt_at(20));
  EXPECT_EQ(memory.find(ranks, key).agreed_ns, 20) << "in place of the former one";
}

TEST(Memory, EndsWhatIsOfTheSameAgreementOnly) {
  Memory memory;
  memory.end(ranks, key, 10, 5);
  EXPECT_EQ(memory.find(ranks, key).policy, nullptr) << "nothing was known";
  memory.keep(learnt_at(20));
  memory.end(ranks, key, 10, 5);
  EXPECT_FALSE(memory.find(ranks, key).has_ended) << "a newer communicator has taken its place";
  memory.end(ranks, key, 20, 5);
  const Learnt found = memory.find(ranks, key);
  EXPECT_TRUE(found.has_ended);
  EXPECT_EQ(found.unpaid_ns, 5);
  memory.keep(learnt_at(30));
  EXPECT_FALSE(memory.find(ranks, key).has_ended);
}

TEST(Memory, ForgetsWhatWasKeptLongestAgo) {
  Memory memory;
  const auto keep = [&](std::int64_t size) {
    Learnt learnt = learnt_at(1);
    learnt.key.size = size;
    memory.keep(std::move(learnt));
  };
  const auto knows = [&](std::int64_t size) {
    return memory.find(ranks, {.size = size}).policy != nullptr;
  };
  for (std::int64_t size = 0; size < std::int64_t{Memory::most}; ++size) keep(size);
  keep(0);
  keep(1000);
  EXPECT_TRUE(knows(0)) << "it was kept again";
  EXPECT_FALSE(knows(1));
  EXPECT_TRUE(knows(2));
  EXPECT_TRUE(knows(1000));
}

TEST(Learnt, StatesHaveNamesOfTheirOwn) {
  Learnt open = learnt_at(10);
  Learnt ended = open;
  ended.has_ended = true;
  EXPECT_EQ(Learnt{}.name(), 0);
  EXPECT_NE(open.name(), ended.name());
  EXPECT_NE(ended.name(), learnt_at(11).name());
}

}  // namespace
}  // namespace gatherbench::star
