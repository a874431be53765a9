// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_duet.py: a file system without locks, as Lustre is unless told otherwise.
#include <cerrno>

extern "C" int flock(int /*descriptor*/, int /*operation*/) {
  errno = ENOSYS;
  return -1;
}
