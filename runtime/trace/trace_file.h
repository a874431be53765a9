// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "formats/crc32.h"
#include "formats/trace/block.h"
#include "formats/trace/record.h"

namespace gatherbench::trace {

/// One rank's file: lines `#@key=value`, and blocks of records between them. Behind each block, and
/// at the end, stands a line with the CRC-32 of all that is before it, so that a reader finds what
/// was altered. What cannot be written is told once and dropped: the traced program goes on.
class TraceFile {
 public:
  TraceFile() = default;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Makes and opens the file; never opens one that exists. Returns why it could not, or an empty
  /// text.
  std::string open(const std::string& path);
  void line(std::string_view key, std::string_view value);
  /// Writes the records in as many blocks as they take. Returns how many of them are in blocks that
  /// were written to their end.
  std::size_t records(std::span<const formats::TraceRecord> records);
  /// Writes a line that ends in the checksum, as the last one of a block or of the file does.
  void closing_line(std::string_view key, std::string_view value);
  void close();

 private:
  void add(std::string_view bytes);
  void write(std::string_view bytes);

  int descriptor_ = -1;
  formats::RunningChecksum checksum_;
  formats::TracePacker packer_;
  std::string path_;
};

/// Makes `wanted`, or the first of wanted.1, wanted.2, ... that does not exist. Throws
/// std::runtime_error if it cannot.
std::string make_new_directory(const std::string& wanted);

/// Writes the message as one line on standard error.
void say(std::string_view message);

}  // namespace gatherbench::trace
