// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bench/host/file_lock.h"
#include "formats/checksum.h"

namespace gatherbench::bench {

/// A file that only ever holds whole appends: what does not fit (disk full) is taken back. By sync,
/// or at the first append ten seconds after the last one, it is brought to the disk. If its name
/// ends in .gz, each append is a member of its own (formats/gzip.h).
class AppendFile {
 public:
  AppendFile() = default;
  /// A new file. Throws InputError if there is one of that name or it cannot be made.
  static AppendFile create(const std::string& path);
  /// Throws InputError if there is something of that name, which `create` would not overwrite.
  static void require_new(const std::string& path);
  /// An existing file. Throws InputError if it cannot be written.
  static AppendFile reopen(const std::string& path);
  AppendFile(AppendFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        lock_(std::move(other.lock_)),
        synced_(other.synced_) {}
  AppendFile& operator=(AppendFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(lock_, other.lock_);
    std::swap(synced_, other.synced_);
    return *this;
  }
  ~AppendFile();
  /// Keeps all other launches from it. Empty if it is ours now, else why not.
  [[nodiscard]] std::string lock() { return lock_.take(descriptor_, path_); }
  /// Keeps its first `bytes` bytes. Throws InputError if it cannot be written.
  void cut(std::int64_t bytes);
  /// All of it or nothing. Throws std::system_error, also if the disk does not take what it has.
  void append(std::string_view text);
  /// Brings to the disk what it has. Throws std::system_error.
  void sync();

 private:
  AppendFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
  FileLock lock_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

/// A file in which every append ends in a line with the checksum of all before it.
class ChecksummedFile {
 public:
  ChecksummedFile() = default;
  /// before: of what the file holds.
  ChecksummedFile(AppendFile file, formats::RunningChecksum before)
      : file_(std::move(file)), checksum_(before) {}

  /// text: whole lines and a last one `#@...` without its end, to which the checksum is written.
  /// Throws std::system_error; then nothing has changed.
  void append(std::string_view text) {
    formats::RunningChecksum after = checksum_;
    file_.append(after.close(text));
    checksum_ = after;
  }

  /// Throws std::system_error.
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
  formats::RunningChecksum checksum_;
};

}  // namespace gatherbench::bench
