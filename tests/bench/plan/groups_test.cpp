// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/measure/case_result.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

const std::vector<int> two_nodes{0, 0, 0, 1, 1};

std::vector<Group> groups_by(const std::string& text, const std::string& file = "") {
  const Grouping grouping = parse_grouping("--groups", text);
  const algorithms::Placement placement{.node = two_nodes, .network = nullptr, .host = {}};
  return make_groups(
      find_group_names("--groups", grouping, two_nodes, [&](const std::string&) { return file; }),
      placement, two_nodes);
}

TEST(Groups, EachFormCutsAllRanks) {
  EXPECT_THAT(groups_by("mod:2"), ElementsAre(Field(&Group::ranks, ElementsAre(0, 2, 4)),
                                              Field(&Group::ranks, ElementsAre(1, 3))));
  EXPECT_THAT(groups_by("div:2"), ElementsAre(Field(&Group::ranks, ElementsAre(0, 1)),
                                              Field(&Group::ranks, ElementsAre(2, 3)),
                                              Field(&Group::ranks, ElementsAre(4))));
  EXPECT_THAT(groups_by("node"), ElementsAre(Field(&Group::ranks, ElementsAre(0, 1, 2)),
                                             Field(&Group::ranks, ElementsAre(3, 4))));
  const std::vector<Group> named = groups_by("file:x", "# whose\nb\na # second\n\nb\nb\na\n");
  EXPECT_THAT(named, ElementsAre(Field(&Group::ranks, ElementsAre(0, 2, 3)),
                                 Field(&Group::ranks, ElementsAre(1, 4))));
  EXPECT_EQ(named[0].name, "b");
  EXPECT_EQ(largest(named).name, "b");
}

TEST(Groups, KnowTheirNodes) {
  const std::vector<Group> groups = groups_by("mod:2");
  EXPECT_THAT(groups[0].placement.node, ElementsAre(0, 0, 1));
  EXPECT_EQ(groups[0].nodes, 2);
  EXPECT_EQ(groups_by("div:3")[1].nodes, 1);
}

TEST(Groups, WithoutTheOptionAreOne) {
  const std::vector<std::string> names =
      find_group_names("--groups", Grouping{}, two_nodes, [](const std::string&) { return ""; });
  EXPECT_EQ(names, std::vector<std::string>(5, "all"));
}

TEST(Groups, BadOnesNameTheOptionTheValueAndWhatIsLegal) {
  const auto fault = [](const std::string& text, const std::string& file = "") {
    return message_of([&] { groups_by(text, file); });
  };
  EXPECT_THAT(fault("odd"), HasSubstr("--groups: 'odd' is no way to form groups; legal: mod:N|"));
  EXPECT_THAT(fault("file:"), HasSubstr("legal: mod:N|"));
  EXPECT_THAT(fault("mod:0"), HasSubstr("--groups mod:: '0'"));
  EXPECT_THAT(fault("div:6"), HasSubstr("'div:6' is of more ranks than there are; legal: 1 to 5"));
  EXPECT_THAT(fault("file:f", "a\nb\n"),
              HasSubstr("f: has 2 groups' names, and there are 5 ranks"));
  EXPECT_THAT(fault("file:f", "a\nb,c\n"), HasSubstr("f:2: 'b,c' is no name of a group"));
  EXPECT_THAT(fault("file:f", "slowest\n"), HasSubstr("f:1: 'slowest' is what rows of several"));
}

Timings times(const std::vector<double>& avg_us) {
  Timings timings;
  for (const double us : avg_us) timings.iterations.push_back({{"min_us", us / 2}, {"avg_us", us}});
  return timings;
}

TEST(Groups, TheSlowestIsAnotherOneInEachIteration) {
  std::vector<Timings> groups{times({1, 5, 2}), times({3, 4, 2})};
  groups[1].iterations[2].late = true;
  const Timings slowest = slowest_of(groups);
  ASSERT_EQ(slowest.iterations.size(), 3U);
  EXPECT_EQ(slowest.iterations[0]["avg_us"], 3);
  EXPECT_EQ(slowest.iterations[0]["min_us"], 1.5);
  EXPECT_EQ(slowest.iterations[1]["avg_us"], 5);
  EXPECT_FALSE(slowest.iterations[1].late);
  EXPECT_TRUE(slowest.iterations[2].late);
}

}  // namespace
}  // namespace gatherbench::bench
