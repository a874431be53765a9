// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

TEST(CsvCell, IsInQuotesOnlyIfItHasToBe) {
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("file:my sizes.txt"), "file:my sizes.txt");
  EXPECT_EQ(csv_cell("gamma:shape=2,scale=1ms"), "\"gamma:shape=2,scale=1ms\"");
  EXPECT_EQ(csv_cell("file:a\"b"), "\"file:a\"\"b\"");
  EXPECT_EQ(csv_cell("#1"), "\"#1\"");
  EXPECT_EQ(csv_cell("two\r\nlines"), "\"two  lines\"");
}

TEST(CsvCells, AreWhatWasWritten) {
  const std::vector<std::string> cells{"", "plain", "a,wrong,b", "said \"so\"", "#1", ""};
  std::string line;
  for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  EXPECT_EQ(csv_cells(line), cells);
}

}  // namespace
}  // namespace gatherbench::text
