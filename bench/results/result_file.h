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
  /// Makes a new file. Throws InputError if there is one of that name or it cannot be made.
  static AppendFile create(const std::string& path);
  /// Throws InputError if there is something of that name, which `create` would not overwrite.
  static void require_new(const std::string& path);
  /// Opens an existing file. Throws InputError if it cannot be written.
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
  /// Keeps all other launches from it. Returns why it cannot; empty if it is ours now.
  [[nodiscard]] std::string lock() { return lock_.take(descriptor_, path_); }
  /// Cuts off all but its first `bytes` bytes. Throws InputError if it cannot be written.
  void cut(std::int64_t bytes);
  /// Appends all of the text or nothing. Throws std::system_error, also if the text is appended and
  /// the disk does not take what the file has.
  void append(std::string_view text);
  /// Brings to the disk what the file has. Throws std::system_error.
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
  /// `before`: the checksum of what the file holds.
  ChecksummedFile(AppendFile file, formats::RunningChecksum before)
      : file_(std::move(file)), checksum_(before) {}

  /// Appends `text`: whole lines and a last one `#@...` without its end, to which the checksum is
  /// written. Throws std::system_error; then the checksum has not changed.
  void append(std::string_view text) {
    formats::RunningChecksum after = checksum_;
    file_.append(after.close(text));
    checksum_ = after;
  }

  /// Brings to the disk what the file has. Throws std::system_error.
  void sync() { file_.sync(); }

 private:
  AppendFile file_;
  formats::RunningChecksum checksum_;
};

/// One launch's results. Used on rank 0 only.
class ResultFile {
 public:
  /// Makes no file: results are not kept.
  ResultFile() = default;
  /// Begins `path`, and beside it the `recorded` files. With `resume` goes on with `path` instead,
  /// if there is such a file: then its metadata must agree with `metadata`
  /// (formats::Purpose::resume), its checksums are verified, and what follows its last finished
  /// case, or its first `max_cases`, is cut off. Throws InputError.
  ResultFile(const std::string& path, const formats::Metadata& metadata, bool resume,
             std::span<const formats::File> recorded, std::size_t max_cases = all_cases);
  static constexpr std::size_t all_cases = std::numeric_limits<std::size_t>::max();

  /// The finished cases that --resume would go on with.
  struct Kept {
    std::size_t cases = 0;
    std::string duet_pair = {};
  };
  /// Returns what the constructor would go on with. Throws as it does, but touches nothing.
  static Kept look(const std::string& path, const formats::Metadata& metadata, bool resume);

  /// Returns what the head of a file says of a key; empty: there is no such file, or no such key.
  static std::string value_in(const std::string& path, std::string_view key);

  [[nodiscard]] bool is_done(const formats::CaseKey& key) const {
    return done_.contains(key.text());
  }
  /// Returns the number of wrong results in the cases that an earlier launch finished.
  [[nodiscard]] int wrong_before() const { return wrong_before_; }

  /// Appends a case to all files. Throws std::system_error; the file then still holds all cases
  /// before this one, whole.
  void append(const formats::CaseKey& key, const CaseResult& result);
  /// Appends the load at the end of a launch that has finished all cases, and brings all files to
  /// the disk. Throws std::system_error.
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
