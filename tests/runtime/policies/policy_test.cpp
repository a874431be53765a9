// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <set>

#include "formats/text/input_error.h"

namespace gatherbench::policies {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Candidate> three() {
  return {{.name = "native"}, {.name = "ring", .group = 1}, {.name = "bruck:k=4", .group = 2}};
}

std::string fault(std::string_view text, std::int64_t budget = 50) {
  try {
    make_policy(text, three(), budget, "AGSTAR_POLICY");
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Phase, HasSoManyTimes) {
  EXPECT_EQ((Phase{0, 100, Timing::none}.times()), 0);
  EXPECT_EQ((Phase{0, 100, Timing::each}.times()), 100);
  EXPECT_EQ((Phase{0, 100, Timing::sampled}.times()), most_samples);
  EXPECT_EQ((Phase{0, 7, Timing::sampled}.times()), 7);
  EXPECT_EQ((Phase{0, 100, Timing::summed}.times()), 1);
}

TEST(Phase, SamplesAreEvenlySpaced) {
  const auto timed = [](const Phase& phase) {
    std::vector<std::int64_t> calls;
    for (std::int64_t call = 0; call < phase.calls; ++call) {
      if (phase.is_timed(call)) calls.push_back(call);
    }
    return calls;
  };
  for (std::int64_t calls = 1; calls <= 300; ++calls) {
    for (const Timing timing : {Timing::none, Timing::each, Timing::sampled}) {
      const Phase phase{0, calls, timing};
      EXPECT_EQ(std::ssize(timed(phase)), phase.times()) << calls;
    }
  }
  EXPECT_EQ(timed({0, 32, Timing::sampled})[1], 2);
  EXPECT_EQ(timed({0, 32, Timing::sampled}).back(), 30);
  EXPECT_EQ(timed({0, 5, Timing::summed}).size(), 5U);
}

TEST(FixedPolicy, TakesTheSameForGood) {
  const auto policy = make_policy("fixed:bruck:k=4", three(), 50);
  EXPECT_EQ(policy->leader(), 2U);
  const CallPlan call_plan = policy->next({});
  ASSERT_EQ(call_plan.size(), 1U);
  EXPECT_EQ(call_plan[0].candidate, 2U);
  EXPECT_EQ(call_plan[0].timing, Timing::none);
  EXPECT_GT(call_plan[0].calls, std::int64_t{1} << 60);
}

/// Returns what the first call plan of the policy tries.
std::vector<std::string> tried(std::string_view policy, const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Phase& phase : make_policy(policy, candidates, 50)->next({})) {
    names.push_back(candidates[phase.candidate].name);
  }
  return names;
}

TEST(StarPolicy, TriesWhatWasPublishedOrWhatItIsTold) {
  const std::vector<Candidate> known{{.name = "native"},
                                     {.name = "sparbit", .group = 7},
                                     {.name = "ring", .group = 6},
                                     {.name = "bruck", .group = 2, .star_place = 4},
                                     {.name = "mesh2d", .group = 2, .star_place = 2},
                                     {.name = "topology_ring", .group = 6, .star_place = 11}};
  EXPECT_THAT(tried("star", known), ElementsAre("mesh2d", "topology_ring"));
  EXPECT_THAT(tried("star:grouping=no", known), ElementsAre("mesh2d", "bruck", "topology_ring"));
  EXPECT_THAT(tried("star:algorithms=sparbit+native+bruck", known),
              ElementsAre("sparbit", "native", "bruck"));
  EXPECT_THAT(tried("star:grouping=no:algorithms=all", known),
              ElementsAre("native", "sparbit", "ring", "bruck", "mesh2d", "topology_ring"));
  const std::vector<Candidate> with_colons{
      {.name = "native"}, {.name = "bruck:k=4"}, {.name = "ring"}, {.name = "ring:via=window"}};
  EXPECT_THAT(tried("star:algorithms=ring:via=window+native+bruck:k=4:grouping=no", with_colons),
              ElementsAre("ring:via=window", "native", "bruck:k=4"));
  EXPECT_THAT(tried("star:iterations=2:algorithms=ring:via=window", with_colons),
              ElementsAre("ring:via=window"));
  const std::vector<Candidate> without(known.begin(), known.end() - 1);
  EXPECT_THAT(tried("star", without), ElementsAre("mesh2d"));
  EXPECT_EQ(make_policy("star", known, 50)->leader(), 4U);
  EXPECT_EQ(make_policy("star", known, 50)->scores().size(), known.size());
}

TEST(RandomPolicy, TakesAnotherInEveryCall) {
  const auto policy = make_policy("random:7", three(), 50);
  std::set<std::size_t> seen;
  std::size_t last = 3;
  for (int i = 0; i < 20; ++i) {
    const std::vector<std::int64_t> times(i == 0 ? 0 : 8, 100);
    for (const Phase& phase : policy->next(times)) {
      EXPECT_EQ(phase.calls, 1);
      EXPECT_NE(phase.candidate, last);
      last = phase.candidate;
      seen.insert(last);
    }
  }
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2}));
}

TEST(RandomPolicy, IsTheSameOnAllRanksAndAnotherByTheSeed) {
  EXPECT_EQ(make_policy("random:7", three(), 50)->next({}),
            make_policy("random:7", three(), 50)->next({}));
  EXPECT_NE(make_policy("random:7", three(), 50)->next({}),
            make_policy("random:8", three(), 50)->next({}));
}

TEST(RandomPolicy, SaysWhatItHasSeen) {
  const auto policy = make_policy("random:7", {{.name = "native"}}, 50);
  EXPECT_EQ(policy->next({}).size(), 8U);
  policy->next(std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 1, 9});
  ASSERT_EQ(policy->scores().size(), 1U);
  EXPECT_EQ(policy->scores()[0].values, 8);
  EXPECT_EQ(policy->scores()[0].time_ns, 2);
}

TEST(MakePolicy, NamesWhatIsLegal) {
  EXPECT_THAT(fault("fixed:rind"),
              AllOf(StartsWith("AGSTAR_POLICY: fixed: 'rind'"), HasSubstr("did you mean 'ring'"),
                    HasSubstr("legal: native, ring, bruck:k=4")));
  EXPECT_THAT(fault("fixed"), HasSubstr("legal: native, ring"));
  EXPECT_THAT(fault("random:x"), StartsWith("AGSTAR_POLICY: random: 'x'"));
  EXPECT_THAT(fault("random:-1"), HasSubstr("is not between 0 and"));
  EXPECT_THAT(fault("star:iterations=0"),
              StartsWith("AGSTAR_POLICY: star: iterations: '0' is not between 1 and"));
  EXPECT_THAT(fault("star:grouping=maybe"), HasSubstr("legal: yes, no"));
  EXPECT_THAT(fault("star:iteration=2"),
              HasSubstr("legal: iterations=N, grouping=yes|no, algorithms=all|NAME+NAME"));
  EXPECT_THAT(fault("star:algorithms=ring+brick"),
              AllOf(StartsWith("AGSTAR_POLICY: star: algorithms: 'brick'"),
                    HasSubstr("legal: all, native, ring, bruck:k=4")));
  EXPECT_THAT(fault("star:algorithms=ring:via=window:grouping=no"),
              AllOf(StartsWith("AGSTAR_POLICY: star: algorithms: 'ring:via=window'"),
                    HasSubstr("legal: all, native, ring, bruck:k=4")));
  EXPECT_THAT(fault("star:grouping=no:via=window"), HasSubstr("legal: iterations=N, grouping="));
  EXPECT_THAT(fault("star:algorithms="), StartsWith("AGSTAR_POLICY: star: algorithms: ''"));
  EXPECT_THAT(fault("star:algorithms=ring+ring"), HasSubstr("gives ring a second time"));
  EXPECT_THAT(fault("star:grouping=no:grouping=no"), HasSubstr("a second time"));

  try {
    make_policy("star", {{.name = "native"}, {.name = "sparbit", .group = 7}}, 50, "AGSTAR_POLICY");
    ADD_FAILURE();
  } catch (const text::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "AGSTAR_POLICY: 'star' can run none of its algorithms here; legal: "
                 "star:algorithms=all");
  }
  EXPECT_THAT(fault("star:"), HasSubstr("nothing after its colon; legal: star[:iterations=N]"));
  EXPECT_THAT(fault("agstar:budget=3"), HasSubstr("takes no parameters"));
  EXPECT_EQ(fault("fixed:ring", 1001),
            "AGSTAR_POLICY: budget: '1001' is not between 0 and 1000 thousandths");
  EXPECT_THAT(fault("best"), AllOf(StartsWith("AGSTAR_POLICY: 'best'"), HasSubstr("fixed")));
}

}  // namespace
}  // namespace gatherbench::policies
