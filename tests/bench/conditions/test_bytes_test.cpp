// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/test_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {
namespace {

struct Received {
  mpi::Layout layout;
  std::vector<std::byte> bytes;
};

Received right(const std::vector<std::int64_t>& sizes) {
  Received received{mpi::Layout(sizes), std::vector<std::byte>(64)};
  for (int block = 0; block < received.layout.blocks(); ++block) {
    fill_block({&received.bytes[static_cast<std::size_t>(received.layout.offset(block))],
                static_cast<std::size_t>(received.layout.bytes(block))},
               block);
  }
  return received;
}

std::optional<WrongByte> find_wrong_byte(const Received& received) {
  const mpi::Layout& layout = received.layout;
  for (int block = 0; block < layout.blocks(); ++block) {
    const auto bytes = std::span(received.bytes)
                           .subspan(static_cast<std::size_t>(layout.offset(block)),
                                    static_cast<std::size_t>(layout.bytes(block)));
    if (const auto wrong = first_wrong_byte(bytes, block)) return wrong;
  }
  return std::nullopt;
}

TEST(Pattern, EveryFlippedByteIsFound) {
  Received received = right({13, 0, 8, 1});
  EXPECT_FALSE(find_wrong_byte(received).has_value());
  for (std::size_t at = 0; at < static_cast<std::size_t>(received.layout.total()); ++at) {
    received.bytes[at] ^= std::byte{1};
    const auto wrong = find_wrong_byte(received);
    ASSERT_TRUE(wrong.has_value()) << at;
    EXPECT_EQ(static_cast<std::size_t>(received.layout.offset(wrong->block) + wrong->position), at);
    EXPECT_EQ(wrong->found ^ wrong->expected, std::byte{1});
    received.bytes[at] ^= std::byte{1};
  }
}

TEST(Pattern, BlocksInEachOthersPlacesAreFound) {
  Received received = right({16, 16});
  std::swap_ranges(received.bytes.begin(), received.bytes.begin() + 16,
                   received.bytes.begin() + 16);
  EXPECT_TRUE(find_wrong_byte(received).has_value());
}

TEST(Pattern, AShiftIsFound) {
  Received received = right({32});
  std::shift_left(received.bytes.begin(), received.bytes.begin() + 32, 8);
  EXPECT_EQ(find_wrong_byte(received)->position, 0);
}

TEST(Pattern, APoisonedBlockIsWrongInEveryByte) {
  std::vector<std::byte> good(37);
  std::vector<std::byte> bad(37);
  fill_block(good, 5);
  poison_block(bad, 5);
  for (std::size_t i = 0; i < good.size(); ++i) EXPECT_NE(good[i], bad[i]);
}

}  // namespace
}  // namespace gatherbench::bench
