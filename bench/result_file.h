// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure.h"

// The result file: one CSV a launch that describes itself, appended to case by case.
// docs/columns.md tells what each column is.
namespace gatherbench {

/// What a row says about the case it belongs to.
struct CaseKey {
  std::string collective;
  std::string distribution;
  std::string arrival;
  std::string mapping;
  int ranks;
  int nodes;
  std::int64_t bytes;  ///< base size c
  std::int64_t total_bytes;
  /// Tells the cases of one launch apart.
  [[nodiscard]] std::string text() const;
};

/// What became of one algorithm in one case.
struct AlgorithmResult {
  std::string algorithm;
  std::string_view status;  ///< "ok", "skipped" or "wrong"
  std::string reason;       ///< why not ok
  Timings timings;          ///< if ok
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::string csv_rows(const CaseKey& key, std::span<const AlgorithmResult> results,
                     bool shared_clock);
std::string csv_rank_rows(const CaseKey& key, std::span<const AlgorithmResult> results);

/// A file that only ever holds whole appends: what does not fit (disk full) is taken back.
class AppendFile {
 public:
  AppendFile() = default;
  /// A new file. Throws InputError if there is one of that name or it cannot be made.
  static AppendFile create(const std::string& path);
  /// An existing file, cut after its first `bytes` bytes.
  static AppendFile reopen(const std::string& path, std::int64_t bytes);
  AppendFile(AppendFile&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  AppendFile& operator=(AppendFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~AppendFile();
  /// All of it or nothing. Throws std::system_error.
  void append(std::string_view text);

 private:
  AppendFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

/// One launch's results. Used on rank 0 only.
class ResultFile {
 public:
  /// No file: results are not kept.
  ResultFile() = default;
  /// Begins `path`, and with `record_ranks` the second file. With `resume` goes on with it instead,
  /// if there is one: then all of `must_agree` has to stand in its metadata, and what follows its
  /// last finished case is cut off. Throws InputError.
  ResultFile(const std::string& path, const Metadata& must_agree, const Metadata& circumstances,
             bool resume, bool record_ranks);

  [[nodiscard]] bool is_done(const CaseKey& key) const { return done_.contains(key.text()); }
  [[nodiscard]] std::size_t cases() const { return done_.size(); }
  /// Wrong results in the cases that an earlier launch finished.
  [[nodiscard]] int wrong_before() const { return wrong_before_; }

  /// Throws std::system_error; the file then still holds all cases before this one, whole.
  void append(const CaseKey& key, std::span<const AlgorithmResult> results, bool shared_clock);

 private:
  void begin(const std::string& path, const Metadata& must_agree, const Metadata& circumstances,
             bool record_ranks);
  void go_on(const std::string& path, const Metadata& must_agree, const Metadata& circumstances,
             bool record_ranks);

  AppendFile file_;
  AppendFile ranks_file_;
  bool keeps_ = false;
  bool records_ranks_ = false;
  std::set<std::string> done_;
  int wrong_before_ = 0;
};

}  // namespace gatherbench
