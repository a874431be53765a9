// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gatherbench::star {

/// AGSTAR_LOG: a file a rank, with a line an agreement. A line has nothing in it that ranks do not
/// have alike, so the files of a communicator's ranks have the same lines of it.
class Log {
 public:
  /// Opens the file; `path` is without the rank; empty: there is no log. A failure to write is told
  /// once.
  void open(const std::string& path, int rank);
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  void line(std::string_view text);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace gatherbench::star
