// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded into the ranks by test_planted_fault.py: stands between the program and the MPI library
// and flips one byte of what one rank receives in one call of MPI_Sendrecv.
//
//   PLANTED_RANK, PLANTED_CALL   which rank's which call, counted from 1
//   PLANTED_BYTE                 which byte of the message
//
// Only messages of at least 8 bytes count, so that the program's own small ones do not.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

long calls = 0;

long setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : std::atol(text);
}

}  // namespace

extern "C" int MPI_Sendrecv(const void* send_buffer, int send_count, MPI_Datatype send_type, int to,
                            int send_tag, void* receive_buffer, int receive_count,
                            MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                            MPI_Status* status) {
  const int code = PMPI_Sendrecv(send_buffer, send_count, send_type, to, send_tag, receive_buffer,
                                 receive_count, receive_type, from, receive_tag, comm, status);
  int rank = 0;
  int type_bytes = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Type_size(receive_type, &type_bytes);
  if (rank != setting("PLANTED_RANK") || receive_count * type_bytes < 8) return code;
  if (++calls == setting("PLANTED_CALL")) {
    static_cast<unsigned char*>(receive_buffer)[setting("PLANTED_BYTE")] ^= 0x01;
    // So that the test knows that it was there.
    std::fprintf(stderr, "planted: rank %d, call %ld\n", rank, calls);
  }
  return code;
}
