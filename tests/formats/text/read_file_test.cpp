// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/message_of.h"
#include "tests/temporary_folder.h"

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

// These would give bytes for ever, or wait for a writer.
TEST(ReadFile, ReadsNoDevicesAndNoPipes) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
    EXPECT_EQ(message_of([&] { read_file("--topology", path); }),
              "--topology: '" + path + "' is a device or a pipe; legal: a regular file");
  }
}

TEST(ReadFile, ReadsUpToAGibibyte) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "large";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, most_file_bytes + 1);  // a hole: it takes no room
  EXPECT_EQ(message_of([&] { read_file("--topology", path); }),
            "--topology: '" + path + "' is too large; legal: up to 1073741824 bytes");
}

}  // namespace
}  // namespace gatherbench::text
