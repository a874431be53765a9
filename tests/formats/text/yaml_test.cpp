// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::text {
namespace {

/// As JSON without quotes.
std::string describe(const Yaml& node) {
  if (node.kind == Yaml::Kind::scalar) return node.value;
  const bool is_map = node.kind == Yaml::Kind::map;
  std::string all = is_map ? "{" : "[";
  for (const Yaml& child : node.children) {
    if (all.size() > 1) all += ',';
    if (is_map) all += child.key + ":";
    all += describe(child);
  }
  return all + (is_map ? "}" : "]");
}

std::string read(std::string_view text) { return describe(parse_yaml("f", text)); }

std::string error(std::string_view text) {
  return message_of([&] { parse_yaml("f", text); });
}

TEST(Yaml, ReadsMapsAndLists) {
  EXPECT_EQ(read("a: 1\nb:\n  - x\n  - y: 2\n    z: 3\nc:\nd:\n- 4\n"),
            "{a:1,b:[x,{y:2,z:3}],c:,d:[4]}");
  EXPECT_EQ(read("- - a\n  - b\n-\n  c: d\n"), "[[a,b],{c:d}]");
  EXPECT_EQ(read("a: [1, {b: c}, n[1-2,7]]\nd: {}\ne: []"), "{a:[1,{b:c},n[1-2,7]],d:{},e:[]}");
}

TEST(Yaml, ReadsTexts) {
  EXPECT_EQ(read("a: 'x: y # z'\nb: \"it's\"\nc: rack 3's # comment\nd: a#b:c\n\"e\": f"),
            "{a:x: y # z,b:it's,c:rack 3's,d:a#b:c,e:f}");
  EXPECT_EQ(read("a:\n  'b: c'\nd:\n- e:\n    f[1,2]\n"), "{a:b: c,d:[{e:f[1,2]}]}");
}

TEST(Yaml, ReadsBracketsOfSeveralLines) {
  EXPECT_EQ(read("a: [1, # one\n\n  2,\n]\nb: 3"), "{a:[1,2],b:3}");
  EXPECT_EQ(read("- {a: n[1-2], b:\n    [c,\n    d]}\n- e"), "[{a:n[1-2],b:[c,d]},e]");
  EXPECT_EQ(read("a:\n  [b,\nc]\nd:\n  - {\n    e: f}"), "{a:[b,c],d:[{e:f}]}");
  EXPECT_EQ(read("a: b [c\nd: e"), "{a:b [c,d:e}") << "a text with a bracket ends with its line";
}

TEST(Yaml, ReadsJson) {
  EXPECT_EQ(read("[{\"a\":\"b\",\"c\":[\"d[1-2]\",\"e: f, g\"],\"h\":true}]"),
            "[{a:b,c:[d[1-2],e: f, g],h:true}]");
  EXPECT_EQ(read("{\n\t\"a\":\n\t[\n\t\t\"# ]\"\r\n\t],\n\t\"b\" : null\n}\n"), "{a:[# ]],b:null}");
}

TEST(Yaml, SaysTheLineWithinBrackets) {
  const Yaml file = parse_yaml("f", "[\n  {a: 1},\n  # two\n  {\n    a: 2}]");
  EXPECT_EQ(file.children.at(0).line, 2);
  EXPECT_EQ(file.children.at(1).line, 4);
  EXPECT_EQ(file.children.at(1).children.at(0).line, 5);
  EXPECT_EQ(error("a: [1,\n  2\nb: 3"), "f:1: has a bracket without ']'");
  EXPECT_EQ(error("[1\n2]"), "f:1: has a bracket without ']'");
  EXPECT_EQ(error("{a: 1,\n\n a: 2}"), "f:3: key 'a' stands twice");
  EXPECT_EQ(error("{\na\nb: 1}"), "f:3: 'b' follows a value");
  EXPECT_EQ(error("[\n\"a\nb\"]"), "f:2: \"a has no closing quote");
  EXPECT_EQ(error("[\n*a,\nb]"),
            "f:2: '*a,' is YAML that is not read here; legal: plain or quoted "
            "text in the same line");
  EXPECT_EQ(error("[1]\n2: 3"), "f:2: does not go on with the value above");
}

TEST(Yaml, SaysWhatItDoesNotRead) {
  EXPECT_EQ(error(" # nothing\n"), "f: the file has no value");
  EXPECT_EQ(error("a: 1\n\tb: 2"), "f:2: is indented by a tab; legal: spaces");
  EXPECT_EQ(error("a: 1\n  b: 2"), "f:2: is indented more than the line above it allows");
  EXPECT_EQ(error("  a: 1\nb: 2"), "f:2: is indented less than the line above");
  EXPECT_EQ(error("a: 1\nb"), "f:2: 'b' is not 'key: value'");
  EXPECT_EQ(error("a:\n  b\n  c"), "f:3: is indented more than the line above it allows");
  EXPECT_EQ(error("a: 1\na: 2"), "f:2: key 'a' stands twice");
  EXPECT_EQ(error("a: {b: 1, b: 2}"), "f:1: key 'b' stands twice");
  EXPECT_EQ(error("a: [1"), "f:1: has a bracket without ']'");
  EXPECT_EQ(error("a: \"b"), "f:1: \"b has no closing quote");
  EXPECT_EQ(error("a: 'b' c"), "f:1: 'c' follows a value");
  EXPECT_EQ(error("a: |\n  b"),
            "f:1: '|' is YAML that is not read here; legal: plain or quoted text in the same line");
  EXPECT_EQ(error("a: &b c"),
            "f:1: '&b c' is YAML that is not read here; legal: plain or quoted "
            "text in the same line");
  EXPECT_EQ(error("a: " + std::string(30, '[')), "f:1: is nested too deep");
  std::string deep;
  for (int i = 0; i < 30; ++i) deep += "- ";
  EXPECT_EQ(error(deep + "a"), "f:1: is nested too deep");
}

}  // namespace
}  // namespace gatherbench::text
