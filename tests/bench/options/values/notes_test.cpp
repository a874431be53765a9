// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/options/values/lists.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

std::vector<Note> parse(const std::vector<std::string>& texts) {
  std::vector<Note> notes;
  for (const std::string& text : texts) add_note(notes, "--note", text);
  return notes;
}
std::string refusal(const std::vector<std::string>& texts) {
  return message_of([&] { parse(texts); });
}

TEST(Notes, AreKeysAndValues) {
  const std::vector<Note> notes = parse({"launch=3", "build=ompi 5", "a.b_c-d=x=y", "none="});
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[0].key, "launch");
  EXPECT_EQ(notes[1].value, "ompi 5");
  EXPECT_EQ(notes[2].key, "a.b_c-d");
  EXPECT_EQ(notes[2].value, "x=y");
  EXPECT_EQ(notes[3].value, "");
  EXPECT_TRUE(parse({}).empty());
}

TEST(Notes, RefusalsNameTheNote) {
  EXPECT_THAT(refusal({"launch"}), HasSubstr("--note: 'launch' has no '='"));
  EXPECT_THAT(refusal({"=3"}), HasSubstr("--note: '=3' has no key"));
  EXPECT_THAT(refusal({"Launch=3"}), HasSubstr("--note: 'Launch' is no key; legal: a-z"));
  EXPECT_THAT(refusal({"a b=3"}), HasSubstr("'a b' is no key"));
  EXPECT_THAT(refusal({"a=1\n#@ranks=7"}), HasSubstr("'a' has a line break in its value"));
  EXPECT_THAT(refusal({"a=1", "b=1", "a=1"}), HasSubstr("'a' is given twice"));
}

}  // namespace
}  // namespace gatherbench::bench
