// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace gatherbench::bench {

/// The whole lines of a text file, or of the whole members of a compressed one (formats/gzip.h).
class LineReader {
 public:
  /// Throws InputError that names --resume if the file cannot be read; so does `next` if it is
  /// damaged.
  explicit LineReader(const std::string& path);
  /// False at the end, or where the rest is cut off.
  bool next(std::string& line);
  /// Returns where the file can be cut after the last line: that line's end; in a compressed file,
  /// the end of its member.
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Returns whether nothing kept lies behind that line if the file is cut there.
  [[nodiscard]] bool is_at_end() const { return at_ == text_.size(); }

 private:
  bool next_plain(std::string& line);
  bool next_member();

  std::string path_;
  std::ifstream stream_;
  std::string compressed_;  // the whole file, if it is that
  std::size_t read_ = 0;    // of it
  std::string text_;        // of the member at hand
  std::size_t at_ = 0;      // in it
  std::int64_t end_ = 0;
};

}  // namespace gatherbench::bench
