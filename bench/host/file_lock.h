// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>

namespace gatherbench::bench {

/// While this lives and the file is open, the file is this process's alone to use: no other launch,
/// on this host or another one, takes it. It ends with the process, however that ends.
///
/// Where the file system has no locks (NFS without its lock daemon), a file PATH.in_use is in place
/// of one. It says whose it is, and is left behind if the process is killed: a later launch on the
/// same host takes it over.
class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&& other) noexcept : marker_(std::exchange(other.marker_, {})) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(marker_, other.marker_);
    return *this;
  }
  ~FileLock();

  /// Locks an open file or folder, whose descriptor has to stay open. `path` names it. Returns an
  /// empty text if it is ours now, else why it is not. Throws std::system_error if PATH.in_use
  /// cannot be made.
  [[nodiscard]] std::string take(int descriptor, const std::string& path);

 private:
  std::string marker_;  // its path, where there are no locks
};

/// Names this process, as in "process 4711 on host n12".
std::string this_process();

}  // namespace gatherbench::bench
