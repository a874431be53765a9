// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/choice.h"
#include "algorithms/parameter_text.h"
#include "text/input_error.h"

namespace gatherbench::algorithms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> labels(std::string_view list) {
  std::vector<std::string> names;
  for (const Choice& choice : parse_algorithms("--algorithms", list)) {
    names.push_back(choice.label());
  }
  return names;
}

std::string error_of(std::string_view list) {
  try {
    parse_algorithms("--algorithms", list);
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, RowsAreComplete) {
  for (const Algorithm& algorithm : all_algorithms()) {
    EXPECT_FALSE(algorithm.name.empty() || algorithm.summary.empty() || algorithm.source.empty())
        << algorithm.name;
    EXPECT_EQ(algorithm.schedule == nullptr,
              algorithm.library_call != LibraryCall::none || algorithm.selects)
        << algorithm.name;
    if (algorithm.schedule == nullptr) continue;
    EXPECT_TRUE(algorithm.steps && algorithm.messages && algorithm.bytes) << algorithm.name;
  }
}

TEST(Registry, NamesAreUnique) {
  std::vector<std::string_view> names = algorithm_names();
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(Registry, DefaultsAreToldAsTheyAreWritten) {
  std::vector<std::string> defaults;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!algorithm.parameter) continue;
    const std::string text = to_text(default_value(algorithm));
    const std::string spelled =
        fmt::format("{}:{}={}", algorithm.name, algorithm.parameter->name, text);
    EXPECT_EQ(parse_algorithms("--algorithms", spelled).front().parameter, default_value(algorithm))
        << spelled;
    defaults.push_back(text);
  }
  EXPECT_THAT(defaults, ElementsAre("2", "2", "1", "1", "2", "32K", "bruck_in_place",
                                    "bruck_in_place", "measured", "1K"));
  EXPECT_EQ(to_text(MessageTime{std::chrono::nanoseconds(1500)}), "1.5us");
}

TEST(Registry, ListsKeepTheirOrderAndEachOnce) {
  EXPECT_THAT(labels("sparbit,ring,sparbit,native:linear,native"),
              ElementsAre("sparbit", "ring", "native:linear", "native"));
}

TEST(Registry, RefusesWhatItHasNot) {
  EXPECT_THAT(error_of("sparbyt"), HasSubstr("did you mean 'sparbit'"));
  EXPECT_THAT(error_of("ring:k=2"), HasSubstr("ring takes none"));
  EXPECT_THAT(error_of("bruck:n=2"), HasSubstr("bruck:k=..., the one parameter that bruck takes"));
  EXPECT_THAT(error_of("bruck:4"), HasSubstr("is not bruck:k="));
  EXPECT_THAT(error_of("bruck:k=1"), HasSubstr("'1' is not between 2"));
  EXPECT_THAT(error_of("bruck:k=x"), HasSubstr("bruck:k: 'x'"));
  EXPECT_THAT(error_of("pipelined_ring:segment=0"), HasSubstr("smallest size is 1 byte"));
  EXPECT_THAT(error_of("leader:inner=rign"), HasSubstr("did you mean 'ring'"));
  EXPECT_THAT(error_of("leader:inner=bruck"), HasSubstr("bruck_in_place"));  // it has a scratch
  EXPECT_THAT(error_of("native:"), HasSubstr("no algorithm of the library"));
  EXPECT_THAT(error_of(""), HasSubstr("legal: loch2021, proficz2021, regular, arrival_aware, all, "
                                      "linear-steps, logarithmic-steps, library, ring"));
}

TEST(Registry, NeedsAreSaidWithTheRanks) {
  const auto reason = [](std::string_view text, int ranks) {
    const Choice choice = parse_algorithms("--algorithms", text).front();
    return reason_unusable(*choice.algorithm, problem_for(choice, ranks));
  };
  EXPECT_EQ(reason("recursive_doubling", 6), "needs a power-of-two number of ranks; ranks = 6");
  EXPECT_EQ(reason("neighbor_exchange", 5), "needs an even number of ranks; ranks = 5");
  EXPECT_EQ(reason("recursive_doubling", 1), "");
  EXPECT_EQ(reason("sparbit", 7), "");
  EXPECT_THAT(reason("mesh2d", 7), HasSubstr("product of two numbers"));
  EXPECT_EQ(reason("mesh3d", 12), "");
  EXPECT_THAT(reason("mesh3d", 10), HasSubstr("product of three numbers"));
  EXPECT_THAT(reason("shift_n_barriers:n=1", 2), HasSubstr("3 or more ranks"));
  EXPECT_THAT(reason("pair_n_barriers", 2), HasSubstr("4 or more"));
  EXPECT_THAT(reason("topology_ring", 4), HasSubstr("--topology FILE"));
  EXPECT_EQ(reason("leader:inner=recursive_doubling", 7), "");  // one node
}

std::string out_of_range(std::string_view text, int ranks) {
  try {
    require_parameter("--algorithms", parse_algorithms("--algorithms", text).front(), ranks);
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, RangesOfParametersDependOnTheRanks) {
  EXPECT_EQ(out_of_range("shift_n_barriers:n=6", 8), "no error");
  EXPECT_EQ(out_of_range("shift_n_barriers:n=7", 8),
            "--algorithms: 'shift_n_barriers:n=7' is out of range: n is 1 to p-2 = 6 with 8 ranks");
  EXPECT_EQ(out_of_range("shift_n_barriers:n=1", 2), "no error");  // it cannot run at all
}

TEST(Registry, LabelsAreWhatWasWritten) {
  EXPECT_THAT(labels("bruck,bruck:k=4,leader:inner=ring,pipelined_ring:segment=64K"),
              ElementsAre("bruck", "bruck:k=4", "leader:inner=ring", "pipelined_ring:segment=64K"));
}

}  // namespace
}  // namespace gatherbench::algorithms
