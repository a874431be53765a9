// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/arrival_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "distributions/arrivals/pattern_table.h"
#include "tests/message_of.h"

namespace gatherbench::arrivals {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

constexpr double message_us = 50;

std::string no_file(const std::string& path) { return "unexpected read of " + path; }

std::vector<ArrivalPattern> patterns(std::string_view list) {
  return parse_arrivals("--arrival", list, no_file);
}

std::vector<double> drawn(std::string_view text, int ranks, std::uint64_t iteration = 0,
                          std::uint64_t seed = 1) {
  return arrivals_us(patterns(text).at(0), ranks, seed, iteration, message_us);
}

ArrivalPattern trace(const std::string& text) {
  return parse_arrivals("--arrival", "trace:t.txt", [&](const std::string&) { return text; }).at(0);
}

std::string fault(std::string_view list) {
  return message_of([list] { patterns(list); });
}

TEST(Arrivals, FixedOnesByHand) {
  EXPECT_THAT(drawn("none", 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(drawn("delayed:delay=5ms", 3), ElementsAre(0, 0, 5000));
  EXPECT_THAT(drawn("delayed:rank=1,delay=0.2s", 3), ElementsAre(0, 200000, 0));
  EXPECT_THAT(drawn("delayed:delay=1.5us,rank=0", 2), ElementsAre(1.5, 0));
  EXPECT_THAT(drawn("alternating:even=0,odd=4t", 5), ElementsAre(0, 200, 0, 200, 0));
  EXPECT_THAT(drawn("bernoulli:probability=1,delay=1us", 2), ElementsAre(1, 1));
  EXPECT_THAT(drawn("bernoulli:probability=0,delay=1us", 2), ElementsAre(0, 0));
}

struct Random {
  const char* pattern;
  double mean;
  double variance;
  double fourth;  ///< central moment or more, for the error of the variance
};

// Moments in closed form; of the normal cut at 0, with mean = deviation = s, by its Mills ratio
// h = phi(1)/Phi(1): mean s(1+h), variance s^2 (1-h-h^2).
const double h = std::exp(-0.5) / std::sqrt(2 * M_PI) / (0.5 * std::erfc(-1 / std::sqrt(2.0)));
const Random random_ones[] = {
    {"uniform:max=12us", 6, 12, 12.0 * 12 * 12 * 12 / 80},
    {"normal:mean=100us,stddev=3us", 100, 9, 3 * 81},
    {"normal:mean=10us,stddev=10us", 10 * (1 + h), 100 * (1 - h - h * h), 3e4},
    {"normal:mean=0,stddev=10us", 10 * std::sqrt(2 / M_PI), 100 * (1 - 2 / M_PI), 1e4},
    {"gamma:shape=2,scale=3us", 6, 18, 81 * (3 * 2 * 2 + 6 * 2)},
    {"gamma:shape=0.5,scale=1us", 0.5, 0.5, 3 * 0.25 + 6 * 0.5},
    {"exponential:mean=7us", 7, 49, 9 * 49 * 49},
    {"bernoulli:probability=0.25,delay=1us", 0.25, 0.1875, 0.1875 * (1 - 3 * 0.1875)},
};

TEST(Arrivals, RandomOnesHaveTheirMoments) {
  constexpr int ranks = 1000;
  constexpr int iterations = 200;
  constexpr double n = ranks * iterations;
  for (const Random& expected : random_ones) {
    SCOPED_TRACE(expected.pattern);
    std::vector<double> all;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      const auto us = drawn(expected.pattern, ranks, static_cast<std::uint64_t>(iteration));
      all.insert(all.end(), us.begin(), us.end());
    }
    EXPECT_THAT(all, Each(Ge(0)));
    double mean = 0;
    for (const double us : all) mean += us / n;
    double variance = 0;
    for (const double us : all) variance += (us - mean) * (us - mean) / (n - 1);
    // Five standard errors; the seed is fixed, so what passes once passes always.
    EXPECT_NEAR(mean, expected.mean, 5 * std::sqrt(expected.variance / n));
    EXPECT_NEAR(variance, expected.variance,
                5 * std::sqrt((expected.fourth - expected.variance * expected.variance) / n));
  }
}

// The share below some point is tested where two moments do not tell a shape.
TEST(Arrivals, RandomOnesHaveTheirShape) {
  const auto share_below = [](std::string_view pattern, double point) {
    const auto us = drawn(pattern, 100000);
    return static_cast<double>(std::ranges::count_if(us, [&](double t) { return t < point; })) /
           1e5;
  };
  constexpr double five_errors = 5 * 0.5 / 316.0;
  EXPECT_NEAR(share_below("uniform:max=4t", 50), 0.25, five_errors);
  EXPECT_NEAR(share_below("exponential:mean=1t", 50), 1 - std::exp(-1), five_errors);
  EXPECT_NEAR(share_below("gamma:shape=2,scale=1t", 50), 1 - 2 * std::exp(-1), five_errors);
  EXPECT_NEAR(share_below("normal:mean=0,stddev=1t", 50), std::erf(1 / std::sqrt(2.0)),
              five_errors);
  EXPECT_THAT(drawn("uniform:max=4t", 100000), Each(AllOf(Ge(0), testing::Le(200))));
}

TEST(Arrivals, TimesOfZeroAreNoSpecialCase) {
  EXPECT_THAT(drawn("normal:mean=5us,stddev=0", 3), ElementsAre(5, 5, 5));
  for (const char* pattern : {"normal:mean=0,stddev=0", "uniform:max=0us", "exponential:mean=0",
                              "gamma:shape=3,scale=0s", "delayed:delay=0t"}) {
    for (const double us : drawn(pattern, 3)) {
      EXPECT_EQ(us, 0) << pattern;
      EXPECT_FALSE(std::signbit(us)) << pattern;
    }
  }
}

TEST(Arrivals, ExtremesStayFinite) {
  for (const char* pattern : {"gamma:shape=1000000,scale=1e9s", "gamma:shape=1e-300,scale=1s",
                              "normal:mean=1e9s,stddev=1e9s", "exponential:mean=1e15t"}) {
    for (const double us : drawn(pattern, 100)) EXPECT_TRUE(std::isfinite(us)) << pattern;
  }
}

TEST(Arrivals, SeedAndIterationDecide) {
  for (const Random& random : random_ones) {
    SCOPED_TRACE(random.pattern);
    const auto first = drawn(random.pattern, 100, 3, 7);
    EXPECT_EQ(first, drawn(random.pattern, 100, 3, 7));
    std::set<std::vector<double>> different{first};
    constexpr std::uint64_t high = std::uint64_t{1} << 32;  // both halves of a word count
    for (const std::uint64_t other : {std::uint64_t{4}, std::uint64_t{7}, high + 3, high + 7}) {
      different.insert(drawn(random.pattern, 100, other, 7));
      different.insert(drawn(random.pattern, 100, 3, other));
    }
    EXPECT_EQ(different.size(), 8U);  // (3, 7) is among them once more
  }
}

TEST(Arrivals, TimesScaleTheSameDraws) {
  const auto once = drawn("uniform:max=1t", 10);
  const auto twice = drawn("uniform:max=2t", 10);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_DOUBLE_EQ(twice[i], 2 * once[i]);
}

TEST(ArrivalList, ParametersContinueThePatternBefore) {
  const auto list = patterns("none,uniform:max=4t,gamma:shape=2,scale=1ms,delayed:delay=1us");
  std::vector<std::string> labels;
  for (const ArrivalPattern& pattern : list) labels.push_back(pattern.label);
  EXPECT_THAT(labels, ElementsAre("none", "uniform:max=4t", "gamma:shape=2,scale=1ms",
                                  "delayed:delay=1us"));
  EXPECT_EQ(patterns("none,uniform:max=1us,none,uniform:max=1us,uniform:max=2us").size(), 3U);
}

TEST(ArrivalList, KnowsNoneAndMessageTimes) {
  EXPECT_TRUE(patterns("none")[0].is_none());
  EXPECT_FALSE(patterns("delayed:delay=0")[0].is_none());
  EXPECT_FALSE(trace("0 0\n").is_none());
  EXPECT_TRUE(patterns("normal:mean=1ms,stddev=1t")[0].needs_message_time());
  EXPECT_FALSE(patterns("normal:mean=1ms,stddev=0")[0].needs_message_time());
  EXPECT_FALSE(trace("0 0\n").needs_message_time());
}

TEST(ArrivalList, FaultsNameOptionValueAndWhatIsLegal) {
  EXPECT_THAT(fault("unifrom:max=1us"),
              HasSubstr("--arrival: 'unifrom' is no arrival pattern (did you mean 'uniform'?); "
                        "legal: none, delayed, "));
  EXPECT_THAT(fault(""), HasSubstr("--arrival: '' is no arrival pattern; legal: none,"));
  EXPECT_THAT(fault("none,,none"), HasSubstr("'' is no arrival pattern"));
  EXPECT_THAT(fault("trace"), HasSubstr("'trace' is no arrival pattern"));
  EXPECT_EQ(fault("trace:"), "--arrival: 'trace:' names no file; it is written trace:PATH");
  EXPECT_EQ(fault("max=1us,none"),
            "--arrival: 'max=1us' is a parameter with no pattern before it (NAME:KEY=VALUE)");
  EXPECT_EQ(fault("none:max=1us"),
            "--arrival: 'none:max=1us' gives a parameter to what takes none");
  EXPECT_EQ(fault("none,max=1us"),
            "--arrival: 'none,max=1us' gives a parameter to what takes none");
  EXPECT_EQ(fault("uniform,max=1us"),
            "--arrival: 'uniform,max=1us' has no ':' before its parameters; it is written "
            "uniform:max=TIME");
  EXPECT_EQ(fault("gamma:shape=2"),
            "--arrival: 'gamma:shape=2' has no scale; it is written gamma:shape=NUMBER,scale=TIME");
  EXPECT_EQ(fault("delayed"),
            "--arrival: 'delayed' has no delay; it is written delayed:[rank=RANK,]delay=TIME");
  EXPECT_EQ(fault("gamma:shape=2,scael=1ms"),
            "--arrival: 'scael' is no parameter of gamma (did you mean 'scale'?); legal: shape, "
            "scale");
  EXPECT_EQ(fault("uniform:max=1us,max=2us"),
            "--arrival: 'uniform:max=1us,max=2us' gives max twice");
  for (const char* text : {"uniform:", "uniform:max", "uniform:max="}) {
    EXPECT_THAT(fault(text), HasSubstr("which is not KEY=VALUE; it is written uniform:max=TIME"));
  }
}

TEST(ArrivalList, FaultsOfValues) {
  EXPECT_EQ(fault("uniform:max=5"),
            "--arrival uniform:max: '5' has no unit; legal: us, ms, s, t (times of one block's "
            "message)");
  EXPECT_EQ(fault("uniform:max=5min"),
            "--arrival uniform:max: '5min' has a unit that is none of us, ms, s, t (times of one "
            "block's message)");
  EXPECT_EQ(fault("uniform:max=-5us"), "--arrival uniform:max: '-5us' is negative");
  EXPECT_EQ(fault("uniform:max=ms"), "--arrival uniform:max: 'ms' is not a number");
  EXPECT_EQ(fault("uniform:max=nanus"), "--arrival uniform:max: 'nanus' is not a number");
  EXPECT_EQ(fault("uniform:max=infs"), "--arrival uniform:max: 'infs' is not a number");
  EXPECT_EQ(fault("uniform:max=1e999s"), "--arrival uniform:max: '1e999s' is out of range");
  EXPECT_EQ(fault("uniform:max=2e9s"), "--arrival uniform:max: '2e9s' is more than 1e+15 us");
  EXPECT_EQ(fault("uniform:max=2e15t"), "--arrival uniform:max: '2e15t' is more than 1e+15 t");
  EXPECT_EQ(fault("bernoulli:probability=1.5,delay=1us"),
            "--arrival bernoulli:probability: '1.5' is not between 0 and 1");
  EXPECT_THAT(fault("bernoulli:probability=-0.5,delay=1us"), HasSubstr("'-0.5' is negative"));
  EXPECT_THAT(fault("bernoulli:probability=50%,delay=1us"), HasSubstr("'50%' is not a number"));
  for (const char* shape : {"0", "1e7"}) {
    EXPECT_EQ(
        fault(std::string("gamma:scale=1us,shape=") + shape),
        std::string("--arrival gamma:shape: '") + shape + "' is not more than 0 and up to 1000000");
  }
  EXPECT_THAT(fault("gamma:shape=-1,scale=1us"), HasSubstr("gamma:shape: '-1' is negative"));
  EXPECT_THAT(fault("delayed:rank=-1,delay=1us"), HasSubstr("delayed:rank: '-1' is not between"));
  EXPECT_THAT(fault("delayed:rank=x,delay=1us"), HasSubstr("'x' is not a whole number"));
}

TEST(ArrivalList, RanksHaveToBeThere) {
  const auto error = [](std::string_view text, int ranks) {
    return message_of([&] { require_ranks("--arrival", patterns(text).at(0), ranks); });
  };
  EXPECT_EQ(error("delayed:rank=4,delay=1us", 4),
            "--arrival: 'delayed:rank=4,delay=1us' has a rank beyond the 4 there are; legal: 0 to "
            "3");
  EXPECT_EQ(error("delayed:rank=3,delay=1us", 4), "no error");
  EXPECT_EQ(error("delayed:delay=1us", 1), "no error");
  EXPECT_EQ(error("gamma:shape=9,scale=1us", 4), "no error");
}

TEST(ArrivalTrace, CyclesThroughItsLines) {
  const ArrivalPattern pattern = trace("# us\n0 1.5\n\n  2,3 # the second\r\n\t4 , 5e0\n");
  EXPECT_EQ(pattern.label, "trace:t.txt");
  const auto us = [&](std::uint64_t iteration) {
    return arrivals_us(pattern, 2, 1, iteration, message_us);
  };
  EXPECT_THAT(us(0), ElementsAre(0, 1.5));
  EXPECT_THAT(us(1), ElementsAre(2, 3));
  EXPECT_THAT(us(2), ElementsAre(4, 5));
  EXPECT_EQ(us(3), us(0));
  EXPECT_EQ(us(3001), us(1));
}

TEST(ArrivalTrace, TakesAnyPath) {
  std::vector<std::string> read;
  parse_arrivals("--arrival", "trace:a=b,trace:c:d,e=f,none", [&](const std::string& path) {
    read.push_back(path);
    return "1 2";
  });
  EXPECT_THAT(read, ElementsAre("a=b", "c:d,e=f"));
}

TEST(ArrivalTrace, FaultsNameFileAndLine) {
  const auto error = [](const char* text) { return message_of([text] { trace(text); }); };
  EXPECT_EQ(error("0 1\n0 x\n"), "t.txt:2: 'x' is not a number");
  EXPECT_EQ(error("#\n\n0 -1\n"), "t.txt:3: '-1' is negative");
  EXPECT_EQ(error("0 inf\n"), "t.txt:1: 'inf' is not a number");
  EXPECT_EQ(error("0 5us\n"), "t.txt:1: '5us' is not a number");
  EXPECT_EQ(error("0 1e16\n"), "t.txt:1: '1e16' is more than 1e+15");
  EXPECT_EQ(error("0,,1\n"), "t.txt:1: a comma has no value before or after it");
  EXPECT_EQ(error("0,1,\n"), "t.txt:1: a comma has no value before or after it");
  EXPECT_EQ(error(""), "t.txt: has no line of arrival times");
  EXPECT_EQ(error("# nothing\n\n"), "t.txt: has no line of arrival times");
  EXPECT_EQ(message_of([] { require_ranks("--arrival", trace("0 1\n# c\n0 1 2\n"), 2); }),
            "t.txt:3: has 3 values for 2 ranks; it needs one a rank");
}

TEST(ArrivalTable, DescriptionsAreWhatIsWritten) {
  const auto lines = arrival_descriptions();
  EXPECT_EQ(lines.size(), named_arrivals().size() + 1);
  EXPECT_THAT(lines[1], testing::StartsWith("delayed:[rank=RANK,]delay=TIME  "));
  EXPECT_THAT(lines.back(), testing::StartsWith("trace:PATH  "));
}

}  // namespace
}  // namespace gatherbench::arrivals
