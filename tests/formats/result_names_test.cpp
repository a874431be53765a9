// SPDX-License-Identifier: BSD-3-Clause
#include "formats/result_names.h"

#include <gtest/gtest.h>

#include "formats/columns.h"
#include "tests/message_of.h"

namespace gatherbench::formats {
namespace {

TEST(ResultNames, NoResultsHaveTheNameOfAFileBesideOthers) {
  for (const File file : files_beside_results) {
    for (const char* const results : {"8.csv", "a.b/8.csv.gz", ".csv", "8"}) {
      EXPECT_NO_THROW(require_results_name("--output", results));
      const std::string name = path_beside(results, file);
      const std::string message = message_of([&] { require_results_name("--output", name); });
      EXPECT_TRUE(message.starts_with("--output: '" + name + "'")) << message;
      EXPECT_NE(message.find(name_of(file)), std::string::npos) << message;
    }
  }
  for (const char* const other : {"ranks.csv", "8_ranks.csv", "8.ranks", "8.ranks.csv.old"}) {
    EXPECT_NO_THROW(require_results_name("--output", other));
  }
}

}  // namespace
}  // namespace gatherbench::formats
