// SPDX-License-Identifier: BSD-3-Clause
#include "bench/buffers/user_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

namespace gatherbench::bench {
namespace {

std::uintptr_t address(const UserBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(UserBuffer, BeginsBehindAPage) {
  for (const std::int64_t offset : {0, 1, 7, 4095}) {
    for (const std::int64_t bytes : {1, 4096, 100'000}) {
      const UserBuffer buffer(bytes, {.offset = offset});
      EXPECT_EQ(address(buffer) % page_bytes, static_cast<std::uintptr_t>(offset));
      std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));  // a sanitizer looks
    }
  }
}

TEST(UserBuffer, BeginsBehindAHugePage) {
  constexpr std::int64_t bytes = 5 << 20;
  for (const Pages pages : {Pages::small, Pages::huge}) {
    const UserBuffer buffer(bytes, {.offset = 3, .pages = pages});
    EXPECT_EQ(address(buffer) % huge_page_bytes, 3U);
    std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));
  }
}

TEST(UserBuffer, OfARoomBeginsBehindItsPages) {
  std::vector<std::byte> bytes(5 * 4096);
  std::span<std::byte> room = bytes;
  const BufferPlace place{.offset = 5};
  EXPECT_EQ(UserBuffer(4092, place, room).data(), bytes.data() + 5);
  EXPECT_EQ(UserBuffer(0, place, room).data(), nullptr);
  EXPECT_EQ(UserBuffer(1, place, room).data(), bytes.data() + 2 * 4096 + 5);
  EXPECT_EQ(room.size(), 2 * 4096U);
  EXPECT_EQ(UserBuffer::room_for(4091, place), 4096);
  EXPECT_EQ(UserBuffer::room_for(4092, place), 2 * 4096);
}

TEST(UserBuffer, OfNoBytesIsNull) {
  EXPECT_EQ(UserBuffer().data(), nullptr);
  EXPECT_EQ(UserBuffer(0, {.offset = 3}).data(), nullptr);
  EXPECT_EQ(UserBuffer::folded(0).data(), nullptr);
}

}  // namespace
}  // namespace gatherbench::bench
