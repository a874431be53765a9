// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <string_view>
#include <system_error>

namespace gatherbench::bench {
namespace {

constexpr std::string_view process_word = "process ";

std::string this_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Returns whether a process that this_process() named was on this host, and has ended.
bool has_ended(std::string_view process) {
  if (!process.starts_with(process_word)) return false;
  process.remove_prefix(process_word.size());
  pid_t number = 0;
  const auto [end, error] =
      std::from_chars(process.data(), process.data() + process.size(), number);
  if (error != std::errc() || number <= 0) return false;
  process.remove_prefix(static_cast<std::size_t>(end - process.data()));
  return process == fmt::format(" on host {}", this_host()) && kill(number, 0) != 0 &&
         errno == ESRCH;
}

/// Returns whether the file could be made. Throws std::system_error where it could not for another
/// reason than that it exists.
bool make_marker(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    if (errno == EEXIST) return false;
    throw std::system_error(errno, std::generic_category(), path);
  }
  const std::string text = this_process();
  const bool is_written =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  close(descriptor);
  if (is_written) return true;
  unlink(path.c_str());
  throw std::system_error(reason, std::generic_category(), path);
}

std::string line_of(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// Removes the marker of an ended process. Of the launches that find it, one at a time may do so,
/// the one whose claim it is, and looks once more: another may have taken the file over since.
void take_away(const std::string& marker) {
  const std::string claim = marker + ".claim";
  if (!make_marker(claim)) return;
  if (has_ended(line_of(marker))) unlink(marker.c_str());
  unlink(claim.c_str());
}

}  // namespace

std::string this_process() {
  return fmt::format("{}{} on host {}", process_word, getpid(), this_host());
}

std::string FileLock::take(int descriptor, const std::string& path) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) return "is in use by another launch";
  const std::string marker = path + ".in_use";
  std::string whose;
  for (int attempts = 0; attempts < 2; ++attempts) {
    if (make_marker(marker)) {
      marker_ = marker;
      return {};
    }
    whose = line_of(marker);
    if (!has_ended(whose)) break;
    take_away(marker);
  }
  return fmt::format("is in use by {}, or was when that was killed (then remove {})",
                     whose.starts_with(process_word) ? whose : "another launch", marker);
}

FileLock::~FileLock() {
  if (!marker_.empty()) unlink(marker_.c_str());
}

}  // namespace gatherbench::bench
