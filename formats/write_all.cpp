// SPDX-License-Identifier: BSD-3-Clause
#include "formats/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace gatherbench::formats {

int write_all(int descriptor, std::string_view bytes) {
  sigset_t too_large;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, &too_large, &mask);
  sigset_t pending;
  sigpending(&pending);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == EFBIG && sigismember(&pending, SIGXFSZ) == 0) {
    constexpr std::timespec at_once{};
    while (sigtimedwait(&too_large, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return error;
}

}  // namespace gatherbench::formats
