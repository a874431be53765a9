// SPDX-License-Identifier: BSD-3-Clause
// A program that makes communicators again and again: duplicates BYTES CALLS TIMES [NAME [BEFORE]]
// duplicates MPI_COMM_WORLD so many times, and makes CALLS calls by each duplicate: of allgather,
// alltoall, bcast, reduce or allreduce, by default of the first. Rank 0 prints the seconds of the
// whole loop, and a sum of what it got. Before the loop there are so many broadcasts of 8 bytes, by
// default none: the place of a message in the MPI library's memory hangs on those before it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const names[] = {"allgather", "alltoall", "bcast", "reduce", "allreduce"};

static int find(const char* name) {
  for (int i = 0; i < 5; ++i) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  MPI_Abort(MPI_COMM_WORLD, 2);
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 4 || argc > 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]);
  const int calls = atoi(argv[2]);
  const int times = atoi(argv[3]);
  const int which = find(argc > 4 ? argv[4] : "allgather");
  unsigned char* send = malloc((size_t)bytes * (size_t)ranks);
  unsigned char* receive = malloc((size_t)bytes * (size_t)ranks);
  unsigned long sum = 0;
  char word[8] = {0};
  for (int i = argc > 5 ? atoi(argv[5]) : 0; i > 0; --i) {
    PMPI_Bcast(word, sizeof word, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  const double begin = MPI_Wtime();
  for (int time = 0; time < times; ++time) {
    MPI_Comm duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    for (int call = 0; call < calls; ++call) {
      memset(send, rank + call, (size_t)bytes * (size_t)(which == 1 ? ranks : 1));
      if (which == 0) MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, duplicate);
      if (which == 1) MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, duplicate);
      if (which == 2) MPI_Bcast(send, bytes, MPI_BYTE, 0, duplicate);
      if (which == 3) MPI_Reduce(send, receive, bytes, MPI_BYTE, MPI_BOR, 0, duplicate);
      if (which == 4) MPI_Allreduce(send, receive, bytes, MPI_BYTE, MPI_BOR, duplicate);
      const unsigned char* got = which == 2 ? send : receive;
      const int blocks = which < 2 ? ranks : 1;
      for (int each = 0; each < blocks; ++each) sum += got[(size_t)each * (size_t)bytes];
    }
    MPI_Comm_free(&duplicate);
  }
  if (rank == 0) printf("whole=%.6f sum=%lu\n", MPI_Wtime() - begin, sum);
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
