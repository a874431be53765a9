// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "tests/message_of.h"

namespace gatherbench::algorithms {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> labels_of(const collectives::Collective& collective,
                                   std::string_view list) {
  std::vector<std::string> names;
  for (const Choice& choice : parse_algorithms("--algorithms", list, collective)) {
    names.push_back(choice.label());
  }
  return names;
}

std::vector<std::string> labels(std::string_view list) {
  return labels_of(collectives::allgather, list);
}

std::vector<std::string> gathering(std::string_view list) {
  return labels_of(collectives::allgather, list);
}

TEST(AlgorithmSets, RegularAndArrivalAwareAreAll) {
  EXPECT_THAT(labels("arrival_aware"),
              ElementsAre("bdr", "bslb", "clairvoyant", "arrival_rings", "portfolio"));
  EXPECT_THAT(labels("library-calls"),
              ElementsAre("native", "native_nonblocking", "native_persistent"));
  constexpr std::size_t adaptive_file_and_calls = 4;
  EXPECT_EQ(labels("all").size() + adaptive_file_and_calls,
            algorithms_of(&collectives::allgather).size());
  EXPECT_EQ(labels("regular").size() + 5, labels("all").size());
  EXPECT_EQ(labels("regular,arrival_aware,all").size(), labels("all").size());
}

TEST(AlgorithmSets, Loch2021IsWhatLochMeasured) {
  EXPECT_THAT(labels("loch2021"),
              ElementsAre("ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit"));
}

// 2.4.3, chapter 7: of Open MPI's Allgatherv there is no recursive doubling.
TEST(AlgorithmSets, Loch2021IsAnotherForAllgatherv) {
  EXPECT_THAT(labels_of(collectives::allgatherv, "loch2021"),
              ElementsAre("ring", "neighbor_exchange", "bruck", "sparbit"));
  EXPECT_EQ(gathering("loch2021"), labels("loch2021"));
  EXPECT_THAT(labels_of(collectives::allgatherv, "regular"), Contains("recursive_doubling"));
}

// 4.2: RING, NEX, LNBC, BDR, BSLB.
TEST(AlgorithmSets, Proficz2021IsWhatProficzMeasured) {
  EXPECT_THAT(labels("proficz2021"),
              ElementsAre("ring", "neighbor_exchange", "linear_gather_bcast", "bdr", "bslb"));
}

TEST(AlgorithmSets, StepsGrowAsTheFormulasSay) {
  EXPECT_THAT(
      gathering("linear-steps"),
      ElementsAre("ring", "neighbor_exchange", "linear", "spread", "shift", "shift_light_barrier",
                  "shift_mpi_barrier", "shift_n_barriers", "pair", "pair_light_barrier",
                  "pair_mpi_barrier", "pair_n_barriers", "linear_gather_bcast", "topology_ring",
                  "topology_ring_two_hop", "topology_ring_optimal", "pipelined_ring",
                  "ring_bidirectional", "k_ring"));
  EXPECT_THAT(gathering("logarithmic-steps"),
              ElementsAre("recursive_doubling", "bruck", "bruck_in_place", "sparbit",
                          "gather_bcast", "recursive_halving", "recursive_exchange", "circulant",
                          "bine", "recursive_multiplying", "bine_doubling", "bine_remap",
                          "recursive_halving_remap", "bruck_two_sided", "far_first", "swing"));
}

TEST(AlgorithmSets, LibraryIsTheLibrarysOwn) {
  EXPECT_THAT(labels("library"), ElementsAre("native"));
}

TEST(AlgorithmSets, AnotherCollectiveHasItsOwnMembers) {
  const collectives::Collective& alltoall = collectives::alltoall;
  EXPECT_THAT(labels_of(alltoall, "library"), ElementsAre("native"));
  EXPECT_THAT(legal_algorithm_names(&alltoall), Not(Contains("loch2021")));
  EXPECT_THAT(set_descriptions(alltoall), Not(HasSubstr("loch2021")));
  EXPECT_THAT(message_of([&] { labels_of(alltoall, "ring"); }),
              HasSubstr("--algorithms: 'ring' is no algorithm of alltoall"));
  EXPECT_THAT(message_of([&] { labels_of(alltoall, "loch2021"); }), HasSubstr("'loch2021'"));
  EXPECT_THAT(labels_of(alltoall, "logarithmic-steps"), ElementsAre("bruck", "recursive_doubling"));
  EXPECT_EQ(labels_of(collectives::allgatherv, "all"), gathering("all"));
}

// Reports, which know algorithms by their names, look for them in sets and draw them alike.
TEST(AlgorithmSets, AlgorithmsOfOneNameAreAlike) {
  for (const Algorithm& one : all_algorithms()) {
    for (const Algorithm& other : all_algorithms()) {
      if (one.name != other.name) continue;
      EXPECT_EQ(one.title, other.title) << one.name;
      EXPECT_EQ(one.growth, other.growth) << one.name;
      EXPECT_EQ(one.is<algorithms::ByArrivals>(), other.is<algorithms::ByArrivals>()) << one.name;
      EXPECT_EQ(one.schedules() == nullptr, other.schedules() == nullptr) << one.name;
    }
  }
}

TEST(AlgorithmSets, NoAlgorithmHasTheNameOfASet) {
  for (const AlgorithmSet& set : algorithm_sets()) {
    EXPECT_EQ(find_algorithm(set.name), nullptr) << set.name;
    EXPECT_FALSE(members(set).empty()) << set.name;
    EXPECT_EQ(set_descriptions(collectives::allgather).find(set.name) != std::string::npos, true)
        << set.name;
  }
}

}  // namespace
}  // namespace gatherbench::algorithms
