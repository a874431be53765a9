// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trace/record.h"

namespace gatherbench::trace {

/// One rank's file: lines `#@key=value`, and blocks of records between them. What cannot be written
/// is told once and dropped: the program that is traced goes on.
class TraceFile {
 public:
  TraceFile() = default;
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Never opens a file that exists. Returns why not, or nothing.
  std::string open(const std::string& path);
  void line(std::string_view key, std::string_view value);
  void block(std::span<const Record> records);
  void close();

 private:
  void write(const void* data, std::size_t size);

  int descriptor_ = -1;
  std::string path_;
};

/// Makes `wanted`, or the first of wanted.1, wanted.2, ... that does not exist. Throws
/// std::runtime_error if it cannot.
std::string make_new_directory(const std::string& wanted);

/// One line on standard error.
void say(std::string_view message);

}  // namespace gatherbench::trace
