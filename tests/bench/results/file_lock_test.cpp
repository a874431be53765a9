// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/file_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

class FileLockTest : public testing::Test {
 protected:
  [[nodiscard]] std::string marker() const {
    std::string line;
    std::getline(std::ifstream(marker_path_), line);
    return line;
  }
  void leave_marker(const std::string& text) const { std::ofstream(marker_path_) << text; }
  /// Where locking fails, as with a file system that has no locks.
  std::string take_without_locks(FileLock& lock) const { return lock.take(-1, path_); }

  TemporaryFolder folder_;
  std::string path_ = folder_.path() / "run.csv";
  std::string marker_path_ = path_ + ".in_use";
};

TEST_F(FileLockTest, IsTakenOnce) {
  const int first = open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const int second = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(FileLock().take(first, path_), "");
  EXPECT_EQ(FileLock().take(second, path_), "is in use by another launch");
  close(first);
  EXPECT_EQ(FileLock().take(second, path_), "");
  close(second);
  EXPECT_FALSE(std::filesystem::exists(marker_path_));
}

TEST_F(FileLockTest, WithoutLocksAMarkerStandsForOne) {
  std::optional<FileLock> first(std::in_place);
  EXPECT_EQ(take_without_locks(*first), "");
  EXPECT_EQ(marker(), this_process());
  FileLock second;
  EXPECT_THAT(take_without_locks(second), HasSubstr("then remove " + marker_path_));
  first.reset();
  EXPECT_EQ(take_without_locks(second), "");
  EXPECT_EQ(marker(), this_process());
}

TEST_F(FileLockTest, AMarkerOfAnEndedProcessIsTakenOver) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string own = this_process();
  const std::string ended = "process " + std::to_string(child) + own.substr(own.find(" on host "));
  leave_marker(ended);
  FileLock lock;
  EXPECT_EQ(take_without_locks(lock), "");
  EXPECT_EQ(marker(), own);
}

// Nobody here knows whether it runs.
TEST_F(FileLockTest, AMarkerOfAnotherHostStays) {
  for (const std::string text : {"process 1 on host elsewhere", "", "hello"}) {
    leave_marker(text);
    FileLock lock;
    const std::string whose = text.starts_with("process ") ? text : "another launch";
    EXPECT_THAT(take_without_locks(lock), HasSubstr("is in use by " + whose + ", or was")) << text;
    EXPECT_EQ(marker(), text);
  }
}

}  // namespace
}  // namespace gatherbench::bench
