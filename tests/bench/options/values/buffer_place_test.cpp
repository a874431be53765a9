// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "bench/options/values/buffer_choice.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

BufferOffsets read(std::string_view text) { return parse_offsets("--buffer-offset", text); }

TEST(BufferOffsets, AreReadAndPrinted) {
  for (const auto& [text, in_row] : {std::pair{"0", "0,0"},
                                     {"16", "16,16"},
                                     {"0,16", "0,16"},
                                     {"4095,1", "4095,1"},
                                     {"random", "random"}}) {
    EXPECT_EQ(read(text).text(), text);
    EXPECT_EQ(read(text).in_row(), in_row);
  }
  EXPECT_EQ(read("7,7").text(), "7");
  EXPECT_EQ(BufferOffsets{}.in_row(), "0,0");
}

TEST(BufferOffsets, OtherTextsAreRefused) {
  for (const char* const text : {"", "4096", "-1", "0,4096", "1,2,3", "1,", ",1", "page", "1K"}) {
    try {
      ADD_FAILURE() << text << " is " << read(text).text();
    } catch (const text::InputError& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("is no place behind the begin of a page; legal: BYTES, SEND,RECEIVE, "
                            "random, with 0 to 4095 bytes each"));
    }
  }
}

TEST(BufferOffsets, AreDrawnBySeedWhereTheyAreRandom) {
  const BufferOffsets random = read("random");
  std::set<std::int64_t> drawn;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const BufferOffsets one = random.drawn(seed);
    EXPECT_EQ(one.in_numbers(), random.drawn(seed).in_numbers());
    EXPECT_EQ(one.text(), "random");
    for (const std::int64_t offset : {one.send, one.receive}) {
      EXPECT_EQ(offset % 16, 0);
      EXPECT_TRUE(offset >= 0 && offset <= random.send) << offset;
      drawn.insert(offset);
    }
  }
  EXPECT_EQ(drawn.size(), 256U);  // each multiple of 16 below a page
  EXPECT_EQ(read("0,16").drawn(1).in_numbers(), "0,16");
}

TEST(BufferOffsets, CutElements) {
  EXPECT_FALSE(read("8,16").cut(8));
  EXPECT_TRUE(read("8,4").cut(8));
  EXPECT_TRUE(read("4,8").cut(8));
  EXPECT_FALSE(read("random").cut(8));
  EXPECT_TRUE(read("random").cut(32));
}

TEST(BufferPlace, SetsAsideWholeHugePages) {
  const BufferPlace huge{.offset = 1, .pages = Pages::huge};
  EXPECT_EQ(huge.set_aside(0), 0);
  EXPECT_EQ(huge.set_aside(1), 2 * huge_page_bytes);  // one for the alignment
  EXPECT_EQ(huge.set_aside(huge_page_bytes), 3 * huge_page_bytes);
  EXPECT_EQ((BufferPlace{.offset = 5}).set_aside(7), 12);
}

}  // namespace
}  // namespace gatherbench::bench
