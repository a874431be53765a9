// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/file_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

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

/// A process that takes the file as soon as `start` ends, says '1' or '0' on `answers`, and stays
/// until `stop` ends. Each is the read and the write end of a pipe.
struct Pipes {
  Pipes() {
    for (auto* const each : {&start, &answers, &stop}) {
      if (pipe(each->data()) != 0) throw std::system_error(errno, std::generic_category());
    }
  }
  std::array<int, 2> start{};
  std::array<int, 2> answers{};
  std::array<int, 2> stop{};
};

TEST_F(FileLockTest, OfSeveralThatFindTheMarkerOfAnEndedProcessOneTakesItOver) {
  constexpr int launches = 8;
  const std::string own = this_process();
  for (int round = 0; round < 40; ++round) {
    const pid_t ended = fork();
    if (ended == 0) _exit(0);
    waitpid(ended, nullptr, 0);
    leave_marker("process " + std::to_string(ended) + own.substr(own.find(" on host ")));
    Pipes pipes;
    std::array<pid_t, launches> children{};
    for (pid_t& child : children) {
      child = fork();
      if (child != 0) continue;
      char byte = 0;
      close(pipes.start[1]);
      close(pipes.stop[1]);
      if (read(pipes.start[0], &byte, 1) != 0) _exit(1);
      FileLock lock;
      byte = take_without_locks(lock).empty() ? '1' : '0';
      const bool is_told = write(pipes.answers[1], &byte, 1) == 1;
      if (read(pipes.stop[0], &byte, 1) != 0) _exit(1);
      _exit(is_told ? 0 : 1);
    }
    close(pipes.start[1]);
    std::string answers(launches, '?');
    for (char& answer : answers) ASSERT_EQ(read(pipes.answers[0], &answer, 1), 1);
    EXPECT_EQ(std::ranges::count(answers, '1'), 1) << answers;
    close(pipes.stop[1]);
    for (const pid_t child : children) waitpid(child, nullptr, 0);
    for (const int end : {pipes.start[0], pipes.stop[0], pipes.answers[0], pipes.answers[1]}) {
      close(end);
    }
    std::filesystem::remove(marker_path_);
  }
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
