// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/checked_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "bench/conditions/block_places.h"
#include "bench/conditions/test_bytes.h"
#include "tests/pairwise_alltoall.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

constexpr std::size_t bytes = 24;
constexpr int ranks = 3;

struct Buffers {
  std::vector<std::byte> send = std::vector<std::byte>(bytes * ranks);
  std::vector<std::byte> receive = std::vector<std::byte>(bytes * ranks + guard_bytes);

  std::span<std::byte> sent(int i) {
    return std::span(send).subspan(static_cast<std::size_t>(i) * bytes, bytes);
  }
  std::span<std::byte> received(int i) {
    return std::span(receive).subspan(static_cast<std::size_t>(i) * bytes, bytes);
  }
};

mpi::Layout equal_blocks(int count) {
  return mpi::Layout(std::vector<std::int64_t>(static_cast<std::size_t>(count), bytes));
}

TEST(CheckedBuffers, HaveWhatTheCollectiveSends) {
  Buffers buffers;
  const CheckedBuffers checked(alltoall, 1, ranks, equal_blocks(ranks * ranks), buffers.send.data(),
                               buffers.receive.data());
  for (int i = 0; i < ranks; ++i) EXPECT_FALSE(first_wrong_byte(buffers.sent(i), 3 + i)) << i;
}

TEST(CheckedBuffers, WantWhatTheCollectiveBrings) {
  Buffers buffers;
  const CheckedBuffers checked(alltoall, 1, ranks, equal_blocks(ranks * ranks), buffers.send.data(),
                               buffers.receive.data());
  for (const int i : {0, 1, 2}) {
    EXPECT_THAT(checked.fault(), HasSubstr("rank 1, block " + std::to_string(3 * i + 1)));
    fill_block(buffers.received(i), 3 * i + 1);
  }
  EXPECT_EQ(checked.fault(), "");
  buffers.received(2)[5] ^= std::byte{1};
  EXPECT_THAT(checked.fault(), HasSubstr("rank 1, block 7, byte 5"));
}

TEST(CheckedBuffers, SeeWhatMustNotBeWritten) {
  Buffers buffers;
  const CheckedBuffers checked(collectives::allgather, 0, ranks, equal_blocks(ranks),
                               buffers.send.data(), buffers.receive.data());
  for (int i = 0; i < ranks; ++i) fill_block(buffers.received(i), i);
  EXPECT_EQ(checked.fault(), "");
  buffers.send[0] ^= std::byte{1};
  EXPECT_THAT(checked.fault(), HasSubstr("send buffer was changed"));
  buffers.send[0] ^= std::byte{1};
  buffers.receive[bytes * ranks] ^= std::byte{1};
  EXPECT_THAT(checked.fault(), HasSubstr("past the end"));
}

TEST(CheckedBuffers, SeeWhatIsWrittenBetweenBlocks) {
  for (const bool in_place : {false, true}) {
    for (const bool permuted : {false, true}) {
      const std::vector<std::int64_t> sizes{5, 0, 7};
      const mpi::Layout layout = place_blocks(sizes, {.permuted = permuted, .gap = 3});
      std::vector<std::byte> send(5);
      std::vector<std::byte> receive(static_cast<std::size_t>(layout.extent()) + guard_bytes);
      CheckedBuffers checked(collectives::allgatherv, 0, ranks, layout,
                             in_place ? nullptr : send.data(), receive.data());
      const auto block = [&](int number) {
        return std::span(receive).subspan(static_cast<std::size_t>(layout.displacement(number)),
                                          static_cast<std::size_t>(layout.bytes(number)));
      };
      EXPECT_EQ(!first_wrong_byte(block(0), 0), in_place);
      for (const int number : {0, 1, 2}) fill_block(block(number), number);
      EXPECT_EQ(checked.fault(), "");
      for (std::size_t at = 0; at < receive.size(); ++at) {  // one wrong byte, wherever
        receive[at] ^= std::byte{1};
        EXPECT_NE(checked.fault(), "") << at;
        receive[at] ^= std::byte{1};
      }
      receive[0] ^= std::byte{1};
      EXPECT_EQ(checked.fault(),
                "rank 0: byte 0 of the receive buffer was written, which is of no block");
      checked.poison();
      EXPECT_THAT(checked.fault(), HasSubstr("belongs"));
    }
  }
}

// Elements of 3 bytes every 5; each byte of the memory is of a block, or nobody's.
TEST(CheckedBuffers, SeeWhatIsWrittenWithinElements) {
  for (const mpi::Element element :
       {mpi::Element{.bytes = 3, .extent = 5}, mpi::Element{.bytes = 4, .extent = 4}}) {
    for (const bool permuted : {false, true}) {
      const std::vector<std::int64_t> sizes{24, 0, 12};
      const mpi::Layout layout =
          place_blocks(sizes, {.permuted = permuted, .gap = permuted ? 20 : 0}, element);
      const auto memory = [&](std::int64_t data) {
        return static_cast<std::size_t>(element.in_memory(data));
      };
      std::vector<std::byte> send(memory(24));
      std::vector<std::byte> receive(memory(layout.extent()) + guard_bytes);
      CheckedBuffers checked(collectives::allgatherv, 0, ranks, layout, send.data(),
                             receive.data());
      for (const int number : {0, 1, 2}) {
        std::vector<std::byte> block(static_cast<std::size_t>(layout.bytes(number)));
        fill_block(block, number);
        for (std::size_t at = 0; at < block.size(); ++at) {
          const auto data = static_cast<std::int64_t>(at);
          receive[memory(layout.displacement(number) + data)] = block[at];
          if (number == 0) {
            EXPECT_EQ(send[memory(data)], block[at]);
          }
        }
      }
      EXPECT_EQ(checked.fault(), "");
      for (std::vector<std::byte>* const buffer : {&send, &receive}) {
        for (std::byte& byte : *buffer) {
          byte ^= std::byte{1};
          EXPECT_NE(checked.fault(), "") << &byte - buffer->data();
          byte ^= std::byte{1};
        }
      }
      EXPECT_EQ(checked.fault(), "");
    }
  }
}

TEST(CheckedBuffers, InPlaceTheOwnBlockIsThere) {
  Buffers buffers;
  CheckedBuffers checked(collectives::allgather, 1, ranks, equal_blocks(ranks), nullptr,
                         buffers.receive.data());
  EXPECT_FALSE(first_wrong_byte(buffers.received(1), 1));
  EXPECT_TRUE(first_wrong_byte(buffers.received(0), 0));
  for (int i = 0; i < ranks; ++i) fill_block(buffers.received(i), i);
  EXPECT_EQ(checked.fault(), "");
  checked.poison();
  EXPECT_TRUE(first_wrong_byte(buffers.received(2), 2));
  EXPECT_FALSE(first_wrong_byte(buffers.received(1), 1));
}

}  // namespace
}  // namespace gatherbench::bench
