// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "formats/text/option_table.h"

namespace gatherbench::text {
namespace {

// Groups have the names that CLI11 2.5 and later give them, and those of earlier versions.
TEST(HelpText, IsTheSameWithEveryVersionOfTheLibrary) {
  for (const std::string options : {"OPTIONS", "Options"}) {
    CLI::App app("What it does", "program");
    app.formatter(help_text());
    app.set_help_flag("-h,--help", "Print this text")->group(options);
    std::string text;
    app.add_option("--sizes", text, "Of a block:\n8, 1K")
        ->type_name("LIST")
        ->default_str("8:1M")
        ->group(options);
    app.add_option("--a-long-name-of-one", text, "Text")->type_name("X")->required()->group("More");
    app.add_subcommand("show", "Prints")
        ->group(options == "OPTIONS" ? "SUBCOMMANDS" : "Subcommands");
    app.footer("The end");
    EXPECT_EQ(app.help(), R"(What it does
Usage: program [OPTIONS] [SUBCOMMAND]

Options:
  -h,--help           Print this text
  --sizes LIST=8:1M   Of a block:
                      8, 1K


More:
  --a-long-name-of-one X REQUIRED
                      Text

Subcommands:
  show                Prints

The end
)");
  }
}

}  // namespace
}  // namespace gatherbench::text
