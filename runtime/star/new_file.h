// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::star {

/// A file that is made for the user: the report, and a rank's log. What cannot be written is told
/// once and dropped: the program goes on.
class NewFile {
 public:
  NewFile() = default;
  ~NewFile() { close(); }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Makes the file and writes what it begins with; never opens one that exists. `variable` of the
  /// environment gave its path. If this fails, there is no file.
  void make(std::string_view variable, const std::string& path, std::string_view begin);
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// Writes the text, if the file is open.
  void write(std::string_view text);
  void close();

 private:
  void tell_lost(int error) const;

  int descriptor_ = -1;
  std::string name_;  // in messages
};

}  // namespace gatherbench::star
