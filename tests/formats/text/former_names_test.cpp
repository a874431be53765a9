// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/former_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "formats/text/option_table.h"
#include "tests/message_of.h"

namespace gatherbench::text {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr std::array table{FormerName{"--girth", "--width"}, FormerName{"--tall", "--height"}};

TEST(FormerNames, AreTakenForThoseOfToday) {
  EXPECT_EQ(current_name(table, "--tall"), "--height");
  EXPECT_EQ(current_name(table, "--height"), "--height");
  EXPECT_EQ(current_name(table, "--other"), "--other");
  EXPECT_EQ(current_name(table, "--tall"), "--height");
  const std::vector<std::string> notices = former_name_notices();
  EXPECT_EQ(
      std::ranges::count_if(notices, [](const std::string& n) { return n.starts_with("--tall"); }),
      1);
  EXPECT_THAT(notices, Contains(HasSubstr("--tall is called --height now")));
  EXPECT_THAT(notices, Not(Contains(HasSubstr("--other"))));
}

struct Program {
  OptionTable options{"Draws.", "draw", "1"};
  std::string width = "1";
  std::string height;

  Program() {
    options.add("--width", width, "How wide");
    options.add("--height", height, "How high");
    options.accept_former(table);
  }
  std::optional<std::string> parse(std::vector<std::string> words) {
    return options.parse(std::move(words));
  }
};

TEST(FormerNames, OptionsTakeTheirValuesByThem) {
  Program program;
  program.parse({"--girth", "5", "--tall=7"});
  EXPECT_EQ(program.width, "5");
  EXPECT_EQ(program.height, "7");
  EXPECT_THAT(former_name_notices(), Contains(HasSubstr("--girth is called --width now")));
}

TEST(FormerNames, AreHidden) {
  Program program;
  const std::optional<std::string> help = program.parse({"--help"});
  ASSERT_TRUE(help);
  EXPECT_THAT(*help, HasSubstr("--width"));
  EXPECT_THAT(*help, Not(HasSubstr("--girth")));
}

TEST(FormerNames, DoNotGoBesideThoseOfToday) {
  Program program;
  EXPECT_EQ(message_of([&] {
              program.parse({"--girth", "5", "--width", "6"});
            }),
            "--girth: '5' is given beside --width, its name now; legal: --width");
}

}  // namespace
}  // namespace gatherbench::text
