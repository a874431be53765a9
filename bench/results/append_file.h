// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gatherbench::bench {

/// A file that only ever holds whole appends: what does not fit (disk full) is taken back. If its
/// name ends in .gz, each append is a member of its own (formats/gzip.h).
class AppendFile {
 public:
  AppendFile() = default;
  /// A new file. Throws InputError if there is one of that name or it cannot be made.
  static AppendFile create(const std::string& path);
  /// Throws InputError if there is something of that name, which `create` would not overwrite.
  static void require_new(const std::string& path);
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

}  // namespace gatherbench::bench
