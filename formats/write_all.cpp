// SPDX-License-Identifier: BSD-3-Clause
#include "formats/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace gatherbench::formats {
namespace {

sigset_t file_size_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGXFSZ) != 0;
}

/// Keeps the signal SIGXFSZ from this thread. One that was pending before is the program's own.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    const sigset_t own = file_size_signal();
    pthread_sigmask(SIG_BLOCK, &own, &before_);
    was_pending_ = is_pending();
  }
  ~WithoutFileSizeSignal() {
    if (!was_pending_ && is_pending()) {
      const sigset_t own = file_size_signal();
      constexpr std::timespec at_once{};
      while (sigtimedwait(&own, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;

 private:
  sigset_t before_{};
  bool was_pending_;
};

}  // namespace

int write_all(int descriptor, std::string_view bytes) {
  const WithoutFileSizeSignal guard;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace gatherbench::formats
