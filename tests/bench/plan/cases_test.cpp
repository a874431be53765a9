// SPDX-License-Identifier: BSD-3-Clause
//
// The mapping of a case is the one that was asked for, wherever the ranks were found.
#include "bench/plan/cases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/plan/memory.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Found {
  std::vector<std::string> labels;
  std::vector<std::string> notes;
};

Found orders(const Options& options, const std::vector<int>& node_of_rank) {
  Found found;
  for (const MappedOrder& order : find_orders(options, node_of_rank, found.notes)) {
    found.labels.push_back(order.label);
  }
  return found;
}

Options launched(Mapping mapping) {
  Options options;
  options.launched_mapping = mapping;
  return options;
}

TEST(Orders, AreCalledAsTheLauncherWasAsked) {
  const Options cyclic = launched(Mapping::cyclic);
  // Of 5 ranks on 5 nodes, one each, nobody can see which mapping it was.
  for (const auto& nodes :
       {std::vector{0, 1, 2, 3, 4}, std::vector{0, 1, 0, 1}, std::vector{0, 0}}) {
    const Found found = orders(cyclic, nodes);
    EXPECT_THAT(found.labels, ElementsAre("cyclic"));
    EXPECT_THAT(found.notes, IsEmpty());
  }
  EXPECT_THAT(orders(Options(), {0, 1, 0, 1}).labels, ElementsAre("as launched"));
}

std::vector<std::int64_t> sizes_of(const std::vector<Case>& cases) {
  std::vector<std::int64_t> sizes;
  for (const Case& one : cases) sizes.push_back(one.key.bytes);
  return sizes;
}

TEST(ShuffledSizes, StayWithTheirDistributionAndPattern) {
  const distributions::Distribution distributions[2]{};
  const arrivals::ArrivalPattern arrivals[2]{};
  std::vector<Case> cases;
  for (const auto& distribution : distributions) {
    for (const auto& arrival : arrivals) {
      for (const std::int64_t bytes : {1, 2, 3, 4, 5, 6, 7, 8}) {
        Case one;
        one.distribution = &distribution;
        one.arrival = &arrival;
        one.key.bytes = bytes;
        cases.push_back(one);
      }
    }
  }
  const std::vector<Case> given = cases;
  shuffle_sizes(cases, 3);
  EXPECT_NE(sizes_of(cases), sizes_of(given));
  EXPECT_THAT(sizes_of(cases), testing::UnorderedElementsAreArray(sizes_of(given)));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].distribution, given[i].distribution);
    EXPECT_EQ(cases[i].arrival, given[i].arrival);
  }
  std::vector<Case> again = given;
  shuffle_sizes(again, 3);
  EXPECT_EQ(sizes_of(again), sizes_of(cases));
  again = given;
  shuffle_sizes(again, 4);
  EXPECT_NE(sizes_of(again), sizes_of(cases));
}

TEST(Cases, OfMoreBytesThanCanBeCountedAreRefused) {
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  const std::vector<arrivals::ArrivalPattern> none(1);
  Options options;
  options.collective = &collectives::allgatherv;
  // Two ranks have two blocks each.
  options.sizes = {1, most_bytes_of_ranks / 4, most_bytes_of_ranks / 2, std::int64_t{1} << 60};
  Group both;
  both.ranks = {0, 1};
  const auto refusal = [&] {
    return message_of([&] { make_cases(options, both, {}, regular, none); });
  };
  EXPECT_THAT(refusal(), HasSubstr("--message-size: '4503599627370496'"));
  EXPECT_THAT(refusal(), HasSubstr("2^53"));
  options.sizes_option = "--sizes";
  EXPECT_THAT(refusal(), HasSubstr("--sizes: '4503599627370496'"));
  options.sizes = {std::int64_t{1} << 60};
  EXPECT_THAT(refusal(), HasSubstr("2^62"));
  options.sizes = {most_bytes_of_ranks / 4};
  EXPECT_EQ(refusal(), "no error");
  // Each byte is behind 1 GiB - 1 of others, and a block behind 1 GiB.
  options.datatype = BufferType{.element = {.bytes = 1, .extent = 1 << 30}};
  EXPECT_THAT(refusal(), HasSubstr("2^53"));
  options.sizes = {1 << 21};
  EXPECT_EQ(refusal(), "no error");
  options.displacements = parse_displacements("--displacements", "gaps:1G");
  EXPECT_THAT(refusal(), HasSubstr("2^53"));
}

/// Of the ranks that stand for all, and of all.
void expect_same_most_bytes(collectives::BlocksOfRank* of_rank, int ranks,
                            const mpi::Layout& layout) {
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    most = std::max(most, layout.bytes(of_rank(rank, ranks)));
  }
  EXPECT_EQ(max_bytes_of(of_rank, ranks, layout), most);
}

TEST(Cases, SomeRanksStandForAll) {
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 19}) {
      SCOPED_TRACE(fmt::format("{} at {} ranks", collective.name, ranks));
      const int blocks = collective.blocks(ranks);
      std::vector<std::int64_t> growing(static_cast<std::size_t>(blocks));
      std::iota(growing.begin(), growing.end(), 1);
      for (const mpi::Layout& layout : {mpi::Layout(blocks, 16), mpi::Layout(growing)}) {
        expect_same_most_bytes(collective.initial, ranks, layout);
        expect_same_most_bytes(collective.goal, ranks, layout);
      }
    }
  }
}

TEST(Orders, TellOfALauncherThatDidOtherwise) {
  const std::vector<int> nodes{0, 0, 1, 1};
  EXPECT_THAT(orders(launched(Mapping::cyclic), nodes).labels, ElementsAre("cyclic"));
  EXPECT_THAT(note_on_launch(nodes, Mapping::cyclic), HasSubstr("but the ranks lie sequential"));
  EXPECT_EQ(note_on_launch(nodes, Mapping::sequential), "");
  EXPECT_EQ(note_on_launch(nodes, Mapping::as_launched), "");
}

TEST(Orders, AreCalledAsWeRenumber) {
  Options both;
  both.mappings = {Mapping::sequential, Mapping::cyclic};
  EXPECT_THAT(orders(both, {0, 1, 0, 1}).labels, ElementsAre("sequential", "cyclic"));
  const Found one = orders(both, {0, 0, 0});
  EXPECT_THAT(one.labels, ElementsAre("sequential"));
  EXPECT_THAT(one.notes, ElementsAre(HasSubstr("not run twice")));
}

}  // namespace
}  // namespace gatherbench::bench
