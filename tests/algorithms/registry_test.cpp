// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/input_error.h"

namespace gatherbench {
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
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, RowsAreComplete) {
  for (const Algorithm& algorithm : all_algorithms()) {
    EXPECT_FALSE(algorithm.name.empty() || algorithm.summary.empty() || algorithm.source.empty())
        << algorithm.name;
    EXPECT_NE(algorithm.schedule == nullptr, algorithm.library_call == LibraryCall::none)
        << algorithm.name;
    if (algorithm.schedule == nullptr) continue;
    EXPECT_FALSE(algorithm.steps.text.empty() || algorithm.messages.text.empty()) << algorithm.name;
  }
}

TEST(Registry, AllIsEveryRow) { EXPECT_EQ(labels("all").size(), all_algorithms().size()); }

TEST(Registry, ThesisIsWhatLochMeasured) {
  EXPECT_THAT(labels("thesis"),
              ElementsAre("ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit"));
}

TEST(Registry, ListsKeepTheirOrderAndEachOnce) {
  EXPECT_THAT(labels("sparbit,ring,sparbit,native:linear,native"),
              ElementsAre("sparbit", "ring", "native:linear", "native"));
}

TEST(Registry, RefusesWhatItHasNot) {
  EXPECT_THAT(error_of("sparbyt"), HasSubstr("did you mean 'sparbit'"));
  EXPECT_THAT(error_of("ring:k=2"), HasSubstr("ring takes none"));
  EXPECT_THAT(error_of("native:"), HasSubstr("no algorithm of the library"));
  EXPECT_THAT(error_of(""), HasSubstr("legal: all, thesis, ring"));
}

TEST(Registry, NeedsAreSaidWithTheRanks) {
  EXPECT_EQ(why_not(*find_algorithm("recursive_doubling"), 6),
            "needs a power-of-two number of ranks; ranks = 6");
  EXPECT_EQ(why_not(*find_algorithm("neighbor_exchange"), 5),
            "needs an even number of ranks; ranks = 5");
  EXPECT_EQ(why_not(*find_algorithm("recursive_doubling"), 1), "");
  EXPECT_EQ(why_not(*find_algorithm("sparbit"), 7), "");
}

}  // namespace
}  // namespace gatherbench
