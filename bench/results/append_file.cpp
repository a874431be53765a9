// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "bench/host/watchdog.h"
#include "formats/gzip.h"
#include "formats/text/input_error.h"
#include "formats/text/read_file.h"

namespace gatherbench::bench {
namespace {

/// The measurements of so much time may be lost if a host loses its power. A disk takes
/// milliseconds, in which no rank is timed.
constexpr std::chrono::seconds sync_interval{10};

text::InputError cannot_be_written(const std::string& path) {
  return text::bad_value(
      "--resume", path,
      fmt::format("cannot be written: {}", std::generic_category().message(errno)));
}

}  // namespace

void AppendFile::require_new(const std::string& path) {
  std::error_code why_not;  // such as a name that is too long; then it cannot be made either
  if (std::filesystem::is_directory(path, why_not)) {
    throw text::bad_value("--output", path, "is a folder; name a file");
  }
  if (std::filesystem::exists(std::filesystem::symlink_status(path, why_not))) {
    throw text::bad_value(
        "--output", path,
        "exists and is not overwritten: go on with it by --resume, or name another");
  }
}

AppendFile AppendFile::create(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) require_new(path);
  if (descriptor < 0) {
    throw text::bad_value(
        "--output", path,
        fmt::format("cannot be made: {}", std::generic_category().message(errno)));
  }
  return {path, descriptor};
}

AppendFile AppendFile::reopen(const std::string& path) {
  text::require_regular_file("--resume", path);
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) throw cannot_be_written(path);
  return {path, descriptor};
}

void AppendFile::cut(std::int64_t bytes) {
  if (ftruncate(descriptor_, bytes) != 0) throw cannot_be_written(path_);
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void AppendFile::append(std::string_view text) {
  std::string member;
  if (formats::is_gzip(path_)) text = member = formats::gzip_member(text);
  const SignalsHeld held;  // a signal must not end the process between two halves of a case
  const off_t before = lseek(descriptor_, 0, SEEK_END);
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      // --resume and the reports cut what has no end mark, if even this fails.
      if (ftruncate(descriptor_, before) != 0) errno = reason;
      throw std::system_error(reason, std::generic_category(), path_);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (std::chrono::steady_clock::now() - synced_ >= sync_interval) sync();
}

void AppendFile::sync() {
  // A full disk is said here first where writes wait in memory, as on NFS.
  if (fdatasync(descriptor_) != 0) throw std::system_error(errno, std::generic_category(), path_);
  synced_ = std::chrono::steady_clock::now();
}

}  // namespace gatherbench::bench
