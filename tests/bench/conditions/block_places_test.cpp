// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/block_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/conditions/buffer_ring.h"
#include "bench/plan/cases.h"
#include "bench/plan/memory.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::int64_t> sizes{5, 0, 7};

std::vector<std::int64_t> places(const mpi::Layout& layout) {
  std::vector<std::int64_t> all;
  for (int block = 0; block < layout.blocks(); ++block) all.push_back(layout.displacement(block));
  return all;
}

TEST(BlockPlaces, ArePermutedByDigitsReadFromTheRight) {
  EXPECT_THAT(permuted_ranks(1), ElementsAre(0));
  EXPECT_THAT(permuted_ranks(2), ElementsAre(1, 0));
  EXPECT_THAT(permuted_ranks(3), ElementsAre(1, 2, 0));
  EXPECT_THAT(permuted_ranks(5), ElementsAre(3, 1, 2, 4, 0));
  EXPECT_THAT(permuted_ranks(8), ElementsAre(7, 3, 5, 1, 6, 2, 4, 0));
}

TEST(BlockPlaces, AreWhereTheOptionSays) {
  EXPECT_TRUE(place_blocks(sizes, {}).is_dense());
  EXPECT_EQ(place_blocks(sizes, {}).extent(), 12);
  EXPECT_THAT(places(place_blocks(sizes, {.gap = 4})), ElementsAre(4, 13, 17));
  EXPECT_EQ(place_blocks(sizes, {.gap = 4}).extent(), 24);
  EXPECT_THAT(places(place_blocks(sizes, {.permuted = true})), ElementsAre(7, 0, 0));
  EXPECT_THAT(places(place_blocks(sizes, {.permuted = true, .gap = 4})), ElementsAre(19, 4, 8));
  EXPECT_EQ(place_blocks(sizes, {.permuted = true, .gap = 4}).extent(), 24);
  EXPECT_EQ(place_blocks(sizes, {.permuted = true, .gap = 4}).total(), 12);
}

TEST(BlockPlaces, HaveFormsThatSayAndMeanTheSame) {
  for (const char* const text : {"dense", "gaps:64", "permuted", "permuted:gaps=8"}) {
    EXPECT_EQ(parse_displacements("-d", text).text(), text);
  }
  EXPECT_EQ(parse_displacements("-d", "gaps:4K").gap, 4096);
  for (const char* const text : {"", "gap", "gaps", "gaps:", "gaps:0", "gaps:-1", "gaps:2G",
                                 "permuted:", "permuted:8", "permuted:gaps=", "Dense"}) {
    EXPECT_THROW(parse_displacements("--displacements", text), text::InputError) << text;
  }
  try {
    parse_displacements("--displacements", "odd");
  } catch (const text::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--displacements: 'odd'"));
    EXPECT_THAT(error.what(), HasSubstr("dense, gaps:BYTES, permuted, permuted:gaps=BYTES"));
  }
}

TEST(BlockPlaces, AreWholeElementsApart) {
  const std::vector<std::int64_t> whole{6, 0, 9};
  const mpi::Layout layout = place_blocks(whole, {.gap = 10}, {.bytes = 3, .extent = 5});
  EXPECT_THAT(places(layout), ElementsAre(6, 18, 24));
  EXPECT_EQ(layout.element().in_memory(layout.extent()), 55);
}

TEST(BlockPlaces, TakeMemoryWithTheirGaps) {
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  Case one;
  one.collective = &collectives::allgatherv;
  one.distribution = regular.data();
  one.key.ranks = 4;
  one.key.bytes = 100;
  EXPECT_EQ(estimate_memory({.options = {}, .buffers = {BufferUse::same}}, one).receive,
            400 + guard_bytes);
  one.displacements = {.gap = 1000};
  EXPECT_EQ(estimate_memory({.options = {}, .buffers = {BufferUse::same}}, one).receive,
            4400 + guard_bytes);
  EXPECT_EQ(estimate_memory({.options = {}, .buffers = {BufferUse::same}}, one).send, 100);
}

}  // namespace
}  // namespace gatherbench::bench
