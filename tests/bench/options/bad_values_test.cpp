// SPDX-License-Identifier: BSD-3-Clause
//
// Every option of the benchmarks, as --help lists them, with values that make no sense: read, or
// refused in one line that names the option. tests/program/options/test_bad_values.py tries whole
// programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "tests/bench/options/parse_words.h"

namespace gatherbench::bench {
namespace {

using Words = std::vector<std::string>;

struct Option {
  std::string name;
  bool takes_value;
};

constexpr std::string_view letters = "-abcdefghijklmnopqrstuvwxyz";

std::vector<Option> options_of(const collectives::Collective& collective) {
  const std::string help = std::get<Ending>(parse_words(collective, {"--help"})).text;
  std::vector<Option> found;
  for (std::string_view line : text::split(help, '\n')) {
    // "  -m,--message-size [MIN:]MAX=1:1048576 ..."
    if (!line.starts_with(' ')) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.size() > 3 && line[0] == '-' && line[2] == ',') {
      line.remove_prefix(std::min(line.find('-', 1), line.size()));
    }
    if (!line.starts_with("--")) continue;
    const std::string_view name = line.substr(0, line.find_first_not_of(letters));
    if (name == "--help" || name == "--version") continue;
    const std::string_view rest = line.substr(name.size());
    found.push_back({std::string(name), rest.size() > 1 && rest[0] == ' ' && rest[1] != ' '});
  }
  return found;
}

Words bad_values() {
  // One by one: GCC 12 sees a fault in a copy of long strings that is none.
  Words values;
  for (const std::size_t length : {std::size_t{300}, std::size_t{400}}) {
    values.emplace_back(length, '9');
  }
  values.emplace_back(300, 'a');
  values.back() += "/b";
  for (const char* const value : {"",
                                  "--",
                                  "\n",
                                  "a\nb\r",
                                  "nan",
                                  "-inf",
                                  "-1",
                                  "1e999",
                                  ",",
                                  "=",
                                  ":",
                                  "0",
                                  " ",
                                  "%s%n",
                                  "/",
                                  "\xff\xfe",
                                  "2147483648",
                                  "1:2:3",
                                  "-0",
                                  "1,,2",
                                  "0x10",
                                  "1e3",
                                  "a@b",
                                  "a=",
                                  "=b",
                                  "trace:",
                                  "file:",
                                  "native:",
                                  "ring:k=2",
                                  "x:",
                                  "5%%",
                                  "1:9223372036854775807",
                                  "9223372036854775807",
                                  "9223372036854775808",
                                  "/nosuch/folder/a.csv",
                                  "\xc3\xa4\xef\xbc\x91"}) {
    values.emplace_back(value);
  }
  return values;
}

/// What is wrong with how a command line was taken; empty if nothing is.
std::string fault(const collectives::Collective& collective, const Words& words,
                  const std::string& option, const std::string& value) {
  const auto parsed = parse_words(collective, words);
  const auto* const ending = std::get_if<Ending>(&parsed);
  if (ending == nullptr) return "";
  if (ending->exit_code != 2) return "another exit code";
  if (std::ranges::count(ending->text, '\n') != 1 || !ending->text.ends_with('\n')) {
    return "not one line: " + ending->text;
  }
  const std::string shown = text::in_one_line(value);
  const bool is_named = ending->text.find(option) != std::string::npos ||
                        ending->text.find("'" + shown.substr(0, 9)) != std::string::npos;
  return is_named ? "" : "not named: " + ending->text;
}

TEST(BadValues, AreReadOrRefusedInOneLineThatNamesTheOption) {
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    const std::vector<Option> options = options_of(collective);
    ASSERT_GT(options.size(), 30U);
    for (const auto& [option, takes_value] : options) {
      for (const std::string& value : bad_values()) {
        // Behind a flag, -inf is -i with nf.
        if (takes_value || value != "-inf") {
          EXPECT_EQ(fault(collective, {option, value}, option, value), "")
              << option << " " << text::in_one_line(value);
        }
        EXPECT_EQ(fault(collective, {fmt::format("{}={}", option, value)}, option, value), "")
            << option << "=" << text::in_one_line(value);
      }
    }
  }
}

}  // namespace
}  // namespace gatherbench::bench
