// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <utility>

#include "bench/results/append_file.h"
#include "formats/checksum.h"

namespace gatherbench::bench {

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
