// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into the ranks by test_arrival_aware.py: an MPI library without MPI_THREAD_MULTIPLE, or
// one that fails in the helper thread.
//
//   PLANTED_LEVEL=serialized   what MPI_Query_thread says
//   PLANTED_EXCHANGE=N         the N-th exchange of predictions fails on rank 1, counted from 1
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

extern "C" int MPI_Query_thread(int* level) {
  const int code = PMPI_Query_thread(level);
  if (std::getenv("PLANTED_LEVEL") != nullptr) *level = MPI_THREAD_SERIALIZED;
  return code;
}

extern "C" int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, int receive_count, MPI_Datatype receive_type,
                              MPI_Comm comm, MPI_Request* request) {
  static std::atomic<int> calls{0};
  const char* const failing = std::getenv("PLANTED_EXCHANGE");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (failing != nullptr && rank == 1 && ++calls == std::atoi(failing)) {
    std::fprintf(stderr, "planted: exchange %s fails\n", failing);
    return MPI_ERR_OTHER;
  }
  return PMPI_Iallgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                         request);
}
