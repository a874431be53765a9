// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/trace_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace gatherbench::trace {
namespace {

constexpr std::size_t of_block = formats::TraceBlock::most_records;

/// Returns the records of so many blocks of equal size: each second call comes late.
std::vector<formats::TraceRecord> records_of(std::size_t blocks) {
  std::vector<formats::TraceRecord> records(blocks * of_block);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].arrival_ns = static_cast<std::int64_t>(1000 * i + i % 2);
    records[i].exit_ns = records[i].arrival_ns + 500;
    records[i].call = static_cast<std::uint32_t>(i);
  }
  return records;
}

void allow_files_of(std::uintmax_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(bytes);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

bool is_blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) != 0;
}

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) != 0;
}

TEST(TraceFile, SaysHowManyRecordsItHas) {
  const TemporaryFolder folder;
  TraceFile file;
  EXPECT_EQ(file.records(records_of(1)), 0U) << "it is not open";
  ASSERT_EQ(file.open(folder.path() / "a"), "");
  EXPECT_EQ(file.records(records_of(2)), 2 * of_block);
  EXPECT_EQ(file.records({}), 0U);
}

/// Ends the process: with 0 if a file that has room for one block takes no more, and no signal
/// comes of it.
[[noreturn]] void write_too_much(const std::string& path, std::uintmax_t limit) {
  allow_files_of(limit);
  TraceFile file;
  bool good = file.open(path).empty();
  good = good && file.records(records_of(2)) == of_block;
  good = good && file.records(records_of(1)) == 0;
  file.line("key", "value");
  file.close();
  std::_Exit(good && !is_blocked(SIGXFSZ) && !is_pending(SIGXFSZ) ? 0 : 1);
}

TEST(TraceFileDeathTest, LosesWhatIsBeyondTheLargestSizeOfAFileAndTheProgramGoesOn) {
  const TemporaryFolder folder;
  TraceFile whole;
  ASSERT_EQ(whole.open(folder.path() / "whole"), "");
  whole.records(records_of(1));
  whole.close();
  const std::uintmax_t bytes = std::filesystem::file_size(folder.path() / "whole");
  ASSERT_GT(bytes, of_block) << "more than the message on standard error, which has the same limit";
  EXPECT_EXIT(write_too_much(folder.path() / "cut", bytes * 3 / 2), testing::ExitedWithCode(0),
              "agtrace: cannot write '.*/cut': .*; the rest is lost");
}

/// Ends the process: with 0 if the program's own signal, which it has blocked, is still pending.
[[noreturn]] void write_too_much_with_a_signal(const std::string& path) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &own, nullptr);
  std::raise(SIGXFSZ);
  allow_files_of(of_block);
  TraceFile file;
  const bool good = file.open(path).empty() && file.records(records_of(2)) == 0;
  std::_Exit(good && is_blocked(SIGXFSZ) && is_pending(SIGXFSZ) ? 0 : 1);
}

TEST(TraceFileDeathTest, LeavesTheProgramsOwnSignalPending) {
  const TemporaryFolder folder;
  EXPECT_EXIT(write_too_much_with_a_signal(folder.path() / "cut"), testing::ExitedWithCode(0),
              "cannot write");
}

}  // namespace
}  // namespace gatherbench::trace
