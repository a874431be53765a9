// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <string_view>

namespace gatherbench::formats {

/// Keeps the signal SIGXFSZ from this thread: beyond the largest size of a file (RLIMIT_FSIZE) it
/// would end the program, which may be a user's. One that was pending before is the program's own.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal();
  ~WithoutFileSizeSignal();
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t before_{};
  bool was_pending_;
};

/// Writes all bytes, as write(2) does, but without that signal. Returns 0, or the error because of
/// which not all is written.
int write_all(int descriptor, std::string_view bytes);

}  // namespace gatherbench::formats
