// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/user_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "bench/conditions/launch_buffers.h"

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
    EXPECT_EQ(address(buffer) % static_cast<std::uintptr_t>(huge_page_bytes), 3U);
    std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));
  }
}

TEST(UserBuffer, OfHugePagesLiesInThemHoweverSmallItIs) {
  if (!has_huge_pages() || !gives_huge_page()) GTEST_SKIP() << "the kernel gives none";
  for (const std::int64_t offset : {0, 4095}) {
    for (const std::int64_t bytes : {std::int64_t{1}, huge_page_bytes, huge_page_bytes + 1}) {
      const BufferPlace place{.offset = offset, .pages = Pages::huge};
      const UserBuffer buffer(bytes, place);
      std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));
      const std::optional<std::int64_t> huge = huge_bytes_around(buffer.data());
      if (!huge) GTEST_SKIP() << "the kernel does not say";
      EXPECT_GE(*huge, (offset + bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes)
          << bytes << " bytes, " << offset << " behind a page";
    }
  }
}

TEST(UserBuffer, OfHugePagesHasNoPagesOfMemoryThatWasFreed) {
  if (!has_huge_pages() || !gives_huge_page()) GTEST_SKIP() << "the kernel gives none";
  // glibc keeps what is freed below a threshold, and raises that to the largest that was freed.
  constexpr std::size_t freed = 24 << 20;
  for (int time = 0; time < 2; ++time) {
    std::vector<std::byte> bytes(freed, std::byte{1});
    ASSERT_EQ(bytes.back(), std::byte{1});
  }
  const UserBuffer buffer(1, {.pages = Pages::huge});
  *buffer.data() = std::byte{1};
  EXPECT_GT(huge_bytes_around(buffer.data()).value_or(huge_page_bytes), 0);
}

TEST(UserBuffer, OfARoomBeginsBehindItsPages) {
  std::vector<std::byte> bytes(5 * 4096);
  std::span<std::byte> room = bytes;
  const BufferPlace place{.offset = 5, .in = BuffersIn::window};
  EXPECT_EQ(UserBuffer(4092, place, room).data(), bytes.data() + 5);
  EXPECT_EQ(UserBuffer(0, place, room).data(), nullptr);
  EXPECT_EQ(UserBuffer(1, place, room).data(), bytes.data() + 2 * 4096 + 5);
  EXPECT_EQ(room.size(), 2 * 4096U);
  EXPECT_EQ(place.set_aside(4091), 4096);
  EXPECT_EQ(place.set_aside(4092), 2 * 4096);
  EXPECT_EQ(place.set_aside(0), 0);
}

TEST(UserBuffer, OfNoBytesIsNull) {
  EXPECT_EQ(UserBuffer().data(), nullptr);
  EXPECT_EQ(UserBuffer(0, {.offset = 3}).data(), nullptr);
  EXPECT_EQ(UserBuffer::folded(0).data(), nullptr);
}

}  // namespace
}  // namespace gatherbench::bench
