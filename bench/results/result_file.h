// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/host/file_lock.h"
#include "bench/measure/case_result.h"
#include "formats/checksum.h"
#include "formats/columns.h"
#include "formats/metadata.h"
#include "formats/row.h"

// The result file: one CSV a launch that describes itself, appended to case by case.
// docs/reference/names.md tells what each column is.
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

/// One launch's results. Used on rank 0 only.
class ResultFile {
 public:
  /// No file: results are not kept.
  ResultFile() = default;
  /// Begins `path`, and beside it the `recorded` files. With `resume` goes on with it instead,
  /// if there is one: then its metadata must agree with `metadata` (formats::Purpose::resume), and
  /// its checksums are verified, and what follows its last finished case, or first `max_cases`,
  /// is cut off. Throws InputError.
  ResultFile(const std::string& path, const formats::Metadata& metadata, bool resume,
             std::span<const formats::File> recorded, std::size_t max_cases = all_cases);
  static constexpr std::size_t all_cases = std::numeric_limits<std::size_t>::max();

  /// The finished cases that --resume would go on with.
  struct Kept {
    std::size_t cases = 0;
    std::string duet_pair = {};
  };
  /// Throws as the constructor does, but touches nothing.
  static Kept look(const std::string& path, const formats::Metadata& metadata, bool resume);

  /// Returns what the head of a file says of a key; empty: there is no such file, or no such key.
  static std::string value_in(const std::string& path, std::string_view key);

  [[nodiscard]] bool is_done(const formats::CaseKey& key) const {
    return done_.contains(key.text());
  }
  /// Wrong results in the cases that an earlier launch finished.
  [[nodiscard]] int wrong_before() const { return wrong_before_; }

  /// Throws std::system_error; the file then still holds all cases before this one, whole.
  void append(const formats::CaseKey& key, const CaseResult& result);
  /// The load at the end of a launch that has finished all cases, which are on the disk then.
  /// Throws std::system_error.
  void add_load(std::string_view load);

 private:
  void begin(const std::string& path, const formats::Metadata& metadata,
             std::span<const formats::File> recorded);
  void go_on(const std::string& path, const formats::Metadata& metadata,
             std::span<const formats::File> recorded, std::size_t max_cases);

  struct Companion {
    formats::File columns;
    ChecksummedFile file;
  };
  ChecksummedFile file_;
  std::vector<Companion> companions_;
  bool keeps_ = false;
  std::set<std::string> done_;
  int wrong_before_ = 0;
};

}  // namespace gatherbench::bench
