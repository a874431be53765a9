// SPDX-License-Identifier: BSD-3-Clause
#include "formats/checksum.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/text/input_error.h"
#include "tests/message_of.h"

namespace gatherbench::formats {
namespace {

using testing::HasSubstr;

using Lines = std::vector<std::string>;

Lines written() {
  RunningChecksum checksum;
  Lines parts{checksum.close("#@seed=1\na,b\n#@head_end=columns")};
  for (const char* const name : {"one", "two", "three"}) {
    parts.push_back(checksum.close(fmt::format("1,{0}\n2,{0}\n#@case_end={0}", name)));
  }
  Lines lines;
  for (const std::string& part : parts) {
    std::size_t start = 0;
    for (std::size_t end = 0; (end = part.find('\n', start)) != part.npos; start = end + 1) {
      lines.push_back(part.substr(start, end - start));
    }
  }
  return lines;
}

Lines read(const Lines& lines) {
  ChecksumCheck check("--resume", "out.csv");
  Lines texts;
  for (const std::string& line : lines) texts.emplace_back(check.take(line));
  return texts;
}

TEST(Checksum, IsTheCommonCrc32) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xcbf43926U);
  EXPECT_EQ(crc32(""), 0U);
}

TEST(Checksum, StandsBehindTheLine) {
  RunningChecksum checksum;
  EXPECT_EQ(checksum.close("123456789"), "123456789 crc32:cbf43926\n");
  EXPECT_EQ(checksum.value(), crc32("123456789 crc32:cbf43926\n"));
}

TEST(ChecksumCheck, LeavesOutTheChecksums) {
  EXPECT_THAT(read(written()),
              testing::ElementsAre("#@seed=1", "a,b", "#@head_end=columns", "1,one", "2,one",
                                   "#@case_end=one", "1,two", "2,two", "#@case_end=two", "1,three",
                                   "2,three", "#@case_end=three"));
}

TEST(ChecksumCheck, FindsEveryLineThatIsMissingOrDoubledOrMoved) {
  const Lines lines = written();
  for (std::size_t at = 0; at + 1 < lines.size(); ++at) {
    const auto place = static_cast<std::ptrdiff_t>(at);
    Lines missing = lines;
    missing.erase(missing.begin() + place);
    EXPECT_THROW(read(missing), text::InputError) << "without " << lines[at];
    Lines doubled = lines;
    doubled.insert(doubled.begin() + place, lines[at]);
    EXPECT_THROW(read(doubled), text::InputError) << "twice " << lines[at];
    Lines moved = lines;
    std::swap(moved[at], moved[at + 1]);
    EXPECT_THROW(read(moved), text::InputError) << "moved " << lines[at];
  }
}

TEST(ChecksumCheck, FindsACaseThatIsMissingOrDoubled) {
  const Lines lines = written();
  Lines missing = lines;
  missing.erase(missing.begin() + 3, missing.begin() + 6);
  EXPECT_THROW(read(missing), text::InputError);
  Lines doubled = lines;
  doubled.insert(doubled.end(), lines.end() - 3, lines.end());
  EXPECT_THROW(read(doubled), text::InputError);
}

TEST(ChecksumCheck, FindsEveryFlippedBit) {
  const Lines lines = written();
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t byte = 0; byte < lines[line].size(); ++byte) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Lines flipped = lines;
        char& letter = flipped[line][byte];
        letter = static_cast<char>(static_cast<unsigned char>(letter) ^ (1U << bit));
        // The rest of the last line may be one that a kill cut off.
        if (line + 1 == lines.size() && byte < 2) continue;
        EXPECT_THROW(read(flipped), text::InputError) << flipped[line];
      }
    }
  }
}

TEST(ValueText, IsOneLine) { EXPECT_EQ(value_text("a\nb\tc\x7f"), "a b c "); }

TEST(ValueText, EndsInNoChecksum) {
  for (const char* const value : {"data crc32:1a2b3c4d", " crc32:1a2b3c4d", "\ncrc32:1a2b3c4d"}) {
    const std::string text = value_text(value);
    EXPECT_THAT(text, testing::EndsWith(" crc32: 1a2b3c4d"));
    EXPECT_EQ(value_text(text), text);
    const Lines lines{"#@note.data=" + text, "a,b"};
    EXPECT_EQ(read(lines), lines);
  }
  for (const char* const value : {"crc32:1a2b3c4d", "data crc32:1A2b3c4d", "data crc32:1a2b3c4d.",
                                  "data crc32:1a2b3c4", "a crc32:1a2b3c4d b"}) {
    EXPECT_EQ(value_text(value), value);
  }
}

TEST(ChecksumCheck, NamesTheLine) {
  Lines lines = written();
  lines[7] = "3,two";
  EXPECT_THAT(message_of([&] { read(lines); }),
              HasSubstr("--resume: 'out.csv' was altered: line 9 (#@case_end=two) says"));
}

TEST(ChecksumCheck, TakesAFileWithoutChecksums) {
  const Lines lines{"#@seed=1", "a,b", "1,2", "#@case_end=one"};
  EXPECT_EQ(read(lines), lines);
}

}  // namespace
}  // namespace gatherbench::formats
