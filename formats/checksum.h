// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "formats/columns.h"
#include "formats/crc32.h"
#include "formats/metadata.h"

// The checksums of result files.
namespace gatherbench::formats {

/// The line behind the metadata and the names of the columns, whose checksum is theirs.
constexpr std::string_view head_end = "#@head_end=columns";

/// Follows the checksums of a file, line by line. A file without any is taken as it is.
class ChecksumCheck {
 public:
  /// `option`: the one that names the file, for messages.
  ChecksumCheck(std::string option, std::string path)
      : option_(std::move(option)), path_(std::move(path)) {}

  /// Takes the next line, without its line break, and returns it without its checksum, if it has
  /// one. Throws text::InputError if that is not the checksum of all that stands before it, or if a
  /// line `#@...` behind the first checksum has none.
  std::string_view take(std::string_view line);
  /// Returns the checksum of the lines that were taken.
  [[nodiscard]] const RunningChecksum& running() const { return running_; }

 private:
  std::string option_;
  std::string path_;
  RunningChecksum running_;
  std::size_t lines_ = 0;
  bool has_checksums_ = false;
};

// The lines of a result file that are no rows. What writes a file appends to each piece of text its
// checksum (formats/crc32.h).

/// The mark behind the rows of a case; the text of the case's key (CaseKey) follows.
inline constexpr std::string_view case_end = "#@case_end=";

/// Returns the text as the value of a key: in one line whose end is no checksum.
std::string value_text(std::string_view text);

/// Returns all that stands before the first row, but for the checksum at its end.
std::string file_head(const Metadata& metadata, File file);

}  // namespace gatherbench::formats
