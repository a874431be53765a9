// SPDX-License-Identifier: BSD-3-Clause
// A program that makes communicators again and again: duplicates BYTES CALLS TIMES duplicates
// MPI_COMM_WORLD so many times, and gathers CALLS times by each duplicate. Rank 0 prints the
// seconds of the whole loop, and a sum of what it got.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]);
  const int calls = atoi(argv[2]);
  const int times = atoi(argv[3]);
  unsigned char* send = malloc((size_t)bytes);
  unsigned char* receive = malloc((size_t)bytes * (size_t)ranks);
  unsigned long sum = 0;
  const double begin = MPI_Wtime();
  for (int time = 0; time < times; ++time) {
    MPI_Comm duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (int call = 0; call < calls; ++call) {
      memset(send, rank + call, (size_t)bytes);
      MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, duplicate);
      for (int each = 0; each < ranks; ++each) sum += receive[(size_t)each * (size_t)bytes];
    }
    MPI_Comm_free(&duplicate);
  }
  if (rank == 0) printf("whole=%.6f sum=%lu\n", MPI_Wtime() - begin, sum);
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
