// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/buffer_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

std::string read(std::string_view text) { return parse_buffers("--buffers", text).text(); }

std::string refusal(std::string_view text) {
  try {
    return "none: " + read(text);
  } catch (const text::InputError& error) {
    return error.what();
  }
}

TEST(BufferChoice, IsReadAndPrinted) {
  for (const char* const text : {"same", "fresh", "cold"}) EXPECT_EQ(read(text), text);
  EXPECT_EQ(read("rotate:64M"), "rotate:67108864");
  EXPECT_EQ(read("cold:1K"), "cold:1024");
  EXPECT_EQ(read(read("rotate:64M")), "rotate:67108864");
}

TEST(BufferChoice, OtherTextsAreRefused) {
  const std::string legal = "legal: same, fresh, rotate:BYTES, cold, cold:BYTES";
  for (const auto& [text, why] :
       {std::pair{"", "''"},
        {"frsh", "did you mean 'fresh'"},
        {"rotate", "'rotate' does not say how many bytes"},
        {"same:1K", "'same:1K' takes no bytes"},
        {"fresh:", "'fresh:' takes no bytes"},
        {"rotate:2000T", "'rotate:2000T' is more than any machine has"}}) {
    EXPECT_THAT(refusal(text),
                testing::AllOf(HasSubstr("--buffers: "), HasSubstr(why), HasSubstr(legal)));
  }
  EXPECT_THAT(refusal("rotate:"), HasSubstr("--buffers: '' is not a size"));
  EXPECT_THAT(refusal("cold:0"), HasSubstr("--buffers: '0' is 0"));
}

}  // namespace
}  // namespace gatherbench::bench
