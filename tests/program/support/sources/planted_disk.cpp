// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into the ranks by test_disk_full.py: says when a file is brought to the disk.
#include <cstdio>

extern "C" int fdatasync(int /*descriptor*/) {
  std::fputs("planted: to the disk\n", stderr);
  return 0;
}
