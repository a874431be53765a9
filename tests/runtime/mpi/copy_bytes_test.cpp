// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/copy_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gatherbench::mpi {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 64;
constexpr std::size_t margin = 2 * line;
constexpr std::byte untouched{0xEE};

/// Bytes that begin at a page, of which the first and the last margin are not copied.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes + 3 * margin + page) {
    const auto place = reinterpret_cast<std::uintptr_t>(bytes_.data());
    begin_ = (page - place % page) % page;
  }
  std::byte* begin() { return bytes_.data() + begin_; }
  void fill() { std::ranges::fill(bytes_, untouched); }
  std::ptrdiff_t touched() const {
    return std::ranges::count_if(bytes_, [](std::byte one) { return one != untouched; });
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_;
};

using Copy = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies so many bytes from each offset in a cache line to each other one. Returns how often other
/// bytes were there than were to be copied, or any behind or before them.
int wrong_copies(std::size_t bytes, std::size_t step, Copy copy) {
  Pages from(bytes);
  Pages to(bytes);
  for (std::size_t i = 0; i < bytes + margin; ++i) {
    from.begin()[i] = static_cast<std::byte>((i * 7 + i / page) % 200);  // none is `untouched`
  }
  int wrong = 0;
  for (std::size_t out = 0; out < line; out += step) {
    for (std::size_t in = 0; in < line; in += step) {
      to.fill();
      const std::byte* const source = from.begin() + out;
      std::byte* const place = to.begin() + line + in;
      copy(place, source, bytes);
      const bool all = std::equal(place, place + bytes, source);
      wrong += all && to.touched() == static_cast<std::ptrdiff_t>(bytes) ? 0 : 1;
    }
  }
  return wrong;
}

/// Tests copy_bytes(), as this processor does it, and copy_by_vectors(), as AMD's do it.
class CopyBytes : public testing::TestWithParam<Copy> {};

TEST_P(CopyBytes, ShortOnesAtEachOffset) {
  for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
    EXPECT_EQ(wrong_copies(bytes, 7, GetParam()), 0) << bytes;
  }
}

TEST_P(CopyBytes, AroundMultiplesOfAPageAtEachOffset) {
  for (const std::size_t pages : {1U, 2U, 4U}) {
    for (const int more : {-33, -1, 0, 1, 31}) {
      const std::size_t bytes = pages * page + static_cast<std::size_t>(more + 64) - 64;
      EXPECT_EQ(wrong_copies(bytes, more == 0 ? 1 : 5, GetParam()), 0) << bytes;
    }
  }
}

TEST_P(CopyBytes, AroundTheSizesWhereTheWayChanges) {
  for (const std::size_t bytes : {2047U, 2048U, 2049U, 2303U}) {
    EXPECT_EQ(wrong_copies(bytes, 1, GetParam()), 0) << bytes;
  }
  for (const std::size_t bytes : {(4U << 20) - 1, 4U << 20, (4U << 20) + 1}) {
    EXPECT_EQ(wrong_copies(bytes, 31, GetParam()), 0) << bytes;
  }
}

TEST(CopyForAnother, ShortOnesAndPagesAtEachOffset) {
  for (const Copy copy : {copy_past_caches, copy_for_another}) {
    for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
      EXPECT_EQ(wrong_copies(bytes, 7, copy), 0) << bytes;
    }
    for (const std::size_t bytes : {page - 1, page, page + 1, 4 * page + 5}) {
      EXPECT_EQ(wrong_copies(bytes, 1, copy), 0) << bytes;
    }
  }
}

// The destination is anywhere in the page of the source, so both directions are taken.
TEST_P(CopyBytes, AtEachDistanceModuloAPage) {
  constexpr std::size_t bytes = 5000;
  Pages from(bytes);
  for (std::size_t i = 0; i < bytes; ++i) from.begin()[i] = static_cast<std::byte>(i % 200);
  std::vector<std::byte> to(bytes + 2 * page);
  for (std::size_t distance = 0; distance < page; distance += 13) {
    std::ranges::fill(to, untouched);
    GetParam()(to.data() + distance, from.begin(), bytes);
    const auto place = to.begin() + static_cast<std::ptrdiff_t>(distance);
    EXPECT_TRUE(std::equal(from.begin(), from.begin() + bytes, place)) << distance;
    EXPECT_EQ(std::ranges::count(to, untouched), static_cast<std::ptrdiff_t>(2 * page)) << distance;
  }
}

INSTANTIATE_TEST_SUITE_P(EachWay, CopyBytes, testing::Values(copy_bytes, copy_by_vectors));

}  // namespace
}  // namespace gatherbench::mpi
