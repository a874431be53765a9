// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_agstar_window.py: counts the windows of shared memory, and gives rank
// PLANTED_RANK none, as where a rank has no more memory. With PLANTED_ROOM=BLOCKS so much is free
// in /dev/shm. Says at the end of each process
// "windows: MADE made, MOST at a time, LEFT left". With PLANTED_COPY=N the N-th copy of a block
// of 1000 bytes has some bytes wrong.
#include <dlfcn.h>
#include <mpi.h>
#include <sys/statvfs.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> made = 0;
std::atomic<int> most = 0;
std::atomic<int> left = 0;
std::atomic<int> copies = 0;

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
  constexpr std::size_t of_a_block = 1000;  // shorter than what copy_bytes copies itself
  std::memmove(to, from, bytes);
  if (bytes == of_a_block && std::getenv("PLANTED_COPY") != nullptr &&
      ++copies == number_of("PLANTED_COPY")) {
    // The same again, if both ends do.
    std::memset(static_cast<char*>(to) + of_a_block / 2, 'x', 8);
  }
  return to;
}

extern "C" int PMPI_Win_free(MPI_Win* window) {
  --left;
  return reinterpret_cast<int (*)(MPI_Win*)>(dlsym(RTLD_NEXT, "PMPI_Win_free"))(window);
}
