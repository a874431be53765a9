// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.h"
#include "text/former_names.h"

namespace gatherbench::algorithms {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> labels(std::string_view list) {
  std::vector<std::string> names;
  for (const Choice& choice : parse_algorithms("--algorithms", list)) {
    names.push_back(choice.label());
  }
  return names;
}

TEST(AlgorithmSets, RegularAndArrivalAwareAreAll) {
  EXPECT_THAT(labels("arrival_aware"), ElementsAre("bdr", "bslb"));
  EXPECT_EQ(labels("regular").size() + 2, all_algorithms().size());
  EXPECT_EQ(labels("all").size(), all_algorithms().size());
  EXPECT_EQ(labels("regular,arrival_aware,all").size(), all_algorithms().size());
}

TEST(AlgorithmSets, Loch2021IsWhatLochMeasured) {
  EXPECT_THAT(labels("loch2021"),
              ElementsAre("ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit"));
}

TEST(AlgorithmSets, FormerNamesAreToldOfToday) {
  EXPECT_THAT(text::former_name_notices(), Not(Contains(HasSubstr("thesis"))));
  EXPECT_EQ(labels("thesis"), labels("loch2021"));
  EXPECT_THAT(text::former_name_notices(), Contains(HasSubstr("thesis is called loch2021 now")));
}

TEST(AlgorithmSets, StepsGrowAsTheFormulasSay) {
  EXPECT_THAT(
      labels("linear-steps"),
      ElementsAre("ring", "neighbor_exchange", "linear", "spread", "shift", "shift_light_barrier",
                  "shift_mpi_barrier", "shift_n_barriers", "pair", "pair_light_barrier",
                  "pair_mpi_barrier", "pair_n_barriers", "linear_gather_bcast", "topology_ring",
                  "topology_ring_two_hop", "topology_ring_optimal", "pipelined_ring"));
  EXPECT_THAT(labels("logarithmic-steps"),
              ElementsAre("recursive_doubling", "bruck", "bruck_in_place", "sparbit",
                          "gather_bcast", "recursive_halving", "recursive_exchange"));
}

TEST(AlgorithmSets, LibraryIsTheLibrarysOwn) {
  EXPECT_THAT(labels("library"), ElementsAre("native"));
}

TEST(AlgorithmSets, NoAlgorithmHasTheNameOfASet) {
  for (const AlgorithmSet& set : algorithm_sets()) {
    EXPECT_EQ(find_algorithm(set.name), nullptr) << set.name;
    EXPECT_FALSE(members(set).empty()) << set.name;
    EXPECT_EQ(set_descriptions().find(set.name) != std::string::npos, true) << set.name;
  }
}

}  // namespace
}  // namespace gatherbench::algorithms
