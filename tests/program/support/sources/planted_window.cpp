// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_agstar_window.py: counts the windows of shared memory, and gives rank
// PLANTED_RANK none, as where a rank has no more memory. With PLANTED_ROOM=BLOCKS so much is free
// in /dev/shm. With PLANTED_COPY=N the N-th copy of 1000 bytes from the own part of a window, in
// which the slots lie that lead to this rank, has some bytes wrong. Says at the end of each process
// "windows: MADE made, MOST at a time, LEFT left".
#include <dlfcn.h>
#include <mpi.h>
#include <sys/statvfs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> made = 0;
std::atomic<int> most = 0;
std::atomic<int> left = 0;
std::atomic<int> copies = 0;
std::atomic<const char*> part = nullptr;  // the own one of the last window
std::atomic<std::ptrdiff_t> part_bytes = 0;

int number_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? -1 : std::atoi(value);
}

__attribute__((destructor)) void tell() {
  std::fprintf(stderr, "windows: %d made, %d at a time, %d left\n", made.load(), most.load(),
               left.load());
}

bool is_planted() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return number_of("PLANTED_RANK") == rank;
}

}  // namespace

extern "C" int PMPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                                        void* base, MPI_Win* window) {
  using Function = int(MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*);
  auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "PMPI_Win_allocate_shared"));
  const int code = next(size, unit, info, comm, base, window);
  if (is_planted()) return MPI_ERR_NO_MEM;
  part_bytes = 0;
  part = *static_cast<const char* const*>(base);
  part_bytes = size;
  ++made;
  const int now = ++left;
  int before = most;
  while (before < now && !most.compare_exchange_weak(before, now)) {
  }
  return code;
}

extern "C" int statvfs(const char* path, struct statvfs* found) {
  using Function = int(const char*, struct statvfs*);
  const int code = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "statvfs"))(path, found);
  const int room = number_of("PLANTED_ROOM");
  if (room >= 0 && std::strcmp(path, "/dev/shm") == 0) {
    found->f_bavail = static_cast<fsblkcnt_t>(room);
  }
  return code;
}

extern "C" void* memcpy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t planted_bytes = 1000;  // fewer than copy_bytes copies by itself
  std::memmove(to, from, bytes);
  const auto offset = reinterpret_cast<std::intptr_t>(from) -
                      reinterpret_cast<std::intptr_t>(part.load(std::memory_order_relaxed));
  if (bytes == planted_bytes && offset >= 0 && offset < part_bytes &&
      ++copies == number_of("PLANTED_COPY")) {
    std::memset(static_cast<char*>(to) + planted_bytes / 2, 'x', 8);
  }
  return to;
}

extern "C" int PMPI_Win_free(MPI_Win* window) {
  --left;
  return reinterpret_cast<int (*)(MPI_Win*)>(dlsym(RTLD_NEXT, "PMPI_Win_free"))(window);
}
