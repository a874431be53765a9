// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into the ranks by test_unlike_ranks.py: one of them is not like the others.
//
//   PLANTED_STOP=NAME    it is stopped before MPI_Init_thread or MPI_Finalize, or behind MPI_Init
//                        (NAME is "started")
//   PLANTED_CLOCK=NS     its steady clock shows so much more
//   PLANTED_MEMORY=N     its N-th object gets no memory, counted from 1
#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> objects{0};

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

void stop_at(const char* place) {
  const char* const wanted = std::getenv("PLANTED_STOP");
  if (wanted != nullptr && std::strcmp(wanted, place) == 0) std::raise(SIGSTOP);
}

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int level, int* provided) {
  stop_at("MPI_Init_thread");
  const int code = PMPI_Init_thread(argc, argv, level, provided);
  stop_at("started");
  return code;
}

extern "C" int MPI_Finalize() {
  stop_at("MPI_Finalize");
  return PMPI_Finalize();
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const long more_ns = number("PLANTED_CLOCK");
  const long code = syscall(SYS_clock_gettime, clock, time);
  if (clock != CLOCK_MONOTONIC || more_ns == 0) return static_cast<int>(code);
  constexpr long second_ns = 1'000'000'000;
  const long ns = time->tv_nsec + more_ns % second_ns;
  time->tv_sec += more_ns / second_ns + ns / second_ns;
  time->tv_nsec = ns % second_ns;
  return static_cast<int>(code);
}

void* operator new(std::size_t bytes) {
  if (++objects == number("PLANTED_MEMORY")) throw std::bad_alloc();
  void* const made = std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t /*bytes*/) noexcept { std::free(made); }
