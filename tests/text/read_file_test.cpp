// SPDX-License-Identifier: BSD-3-Clause
#include "text/read_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/message_of.h"

namespace gatherbench::text {
namespace {

TEST(ReadFile, GivesTheWholeTextOrNamesOptionAndPath) {
  const std::string folder = testing::TempDir() + "read_file_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string text("a\r\n\0b", 5);
  std::ofstream(folder + "/some", std::ios::binary) << text;
  EXPECT_EQ(read_file("--topology", folder + "/some"), text);
  std::ofstream(folder + "/empty").close();
  for (const std::string& path :
       {folder, folder + "/empty", folder + "/missing", std::string(300, 'a'), std::string()}) {
    EXPECT_EQ(message_of([&] { read_file("--topology", path); }),
              "--topology: '" + path + "' cannot be read, or is empty");
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gatherbench::text
