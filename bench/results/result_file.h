// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/case_result.h"
#include "bench/results/append_file.h"
#include "formats/columns.h"
#include "formats/metadata.h"
#include "formats/row.h"

// The result file: one CSV a launch that describes itself, appended to case by case.
// docs/reference/names.md tells what each column is.
namespace gatherbench::bench {

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
