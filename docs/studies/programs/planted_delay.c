// SPDX-License-Identifier: BSD-3-Clause
// Makes MPI_Allgather slower by a share of the time that it takes: 10 %, or PLANTED_PERCENT; of all
// sizes, or of PLANTED_BYTES alone.
//
//   mpicc -O2 -shared -fPIC -o slow.so docs/studies/programs/planted_delay.c
//   mpirun -n 2 env LD_PRELOAD=$PWD/slow.so build/bin/allgather_bench --algorithms native
#include <mpi.h>
#include <stdlib.h>

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  static double share = -1;
  static long bytes = 0;
  if (share < 0) {
    const char* const percent = getenv("PLANTED_PERCENT");
    const char* const only = getenv("PLANTED_BYTES");
    share = percent != NULL ? atof(percent) / 100 : 0.1;
    bytes = only != NULL ? atol(only) : 0;
  }
  if (bytes != 0 && bytes != receive_count) {  // reading a clock would make these slower, too
    return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  }
  const double begin = MPI_Wtime();
  const int code =
      PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  const double end = MPI_Wtime();
  while (MPI_Wtime() < end + share * (end - begin)) {
  }
  return code;
}
