// SPDX-License-Identifier: BSD-3-Clause
// A program's loop: write a block, gather all blocks, read them. Prints the time of an iteration of
// each algorithm, without a clock or a barrier in the loop; docs/studies/cycle.py holds the column
// cycle_us of the benchmarks against it.
//   program_loop BYTES TURNS CALLS ALGORITHM...    BYTES: of a block; the algorithm `native` is
//   MPI_Allgather, the others are the C interface's
// The algorithms take turns, each turn with so many calls; the order is drawn anew in each round.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gatherbench.h"

enum { most_algorithms = 16, not_counted = 10 };

static volatile uint64_t sink;

// Eight words a turn, as in the benchmarks: how long a loop of one word takes depends on where the
// compiler put its jump.
static void read_all(const unsigned char* bytes, size_t count) {
  uint64_t sum = 0;
  uint64_t word = 0;
  size_t at = 0;
#pragma GCC unroll 8
  for (; at + sizeof word <= count; at += sizeof word) {
    memcpy(&word, bytes + at, sizeof word);
    sum += word;
  }
  for (; at < count; ++at) sum += bytes[at];
  sink = sum;
}

static int by_value(const void* one, const void* other) {
  const double a = *(const double*)one;
  const double b = *(const double*)other;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int algorithms = argc - 4;
  if (algorithms < 1 || algorithms > most_algorithms) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]);
  const int turns = atoi(argv[2]);
  const int calls = atoi(argv[3]);
  const size_t page = 4096;
  const size_t all = (size_t)ranks * (size_t)bytes;
  unsigned char* const send = aligned_alloc(page, ((size_t)bytes / page + 1) * page);
  unsigned char* const receive = aligned_alloc(page, (all / page + 1) * page);
  double* const us = malloc((size_t)algorithms * (size_t)turns * sizeof *us);
  memset(send, 1, (size_t)bytes);
  memset(receive, 0, all);
  gatherbench_plan* plans[most_algorithms] = {NULL};
  for (int k = 0; k < algorithms; ++k) {
    if (strcmp(argv[4 + k], "native") == 0) continue;
    if (gatherbench_allgather_init(send, receive, bytes, MPI_COMM_WORLD, argv[4 + k], &plans[k]) !=
        MPI_SUCCESS) {
      fprintf(stderr, "program_loop: %s\n", gatherbench_error());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  unsigned drawn = 1;
  for (int turn = 0; turn < turns; ++turn) {
    int order[most_algorithms];
    for (int k = 0; k < algorithms; ++k) order[k] = k;
    for (int k = algorithms - 1; k > 0; --k) {  // the same on all ranks
      drawn = drawn * 1103515245u + 12345u;
      const int with = (int)((drawn >> 16) % (unsigned)(k + 1));
      const int swapped = order[k];
      order[k] = order[with];
      order[with] = swapped;
    }
    for (int place = 0; place < algorithms; ++place) {
      const int k = order[place];
      MPI_Barrier(MPI_COMM_WORLD);
      double begin = 0;
      for (int call = -not_counted; call < calls; ++call) {
        if (call == 0) begin = MPI_Wtime();
        memset(send, call + rank, (size_t)bytes);
        if (plans[k] != NULL) {
          gatherbench_run(plans[k]);
        } else {
          MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
        }
        read_all(receive, all);
      }
      us[k * turns + turn] = (MPI_Wtime() - begin) / calls * 1e6;
    }
  }
  for (int k = 0; k < algorithms; ++k) {
    double* const own = us + k * turns;
    MPI_Allreduce(MPI_IN_PLACE, own, turns, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    qsort(own, (size_t)turns, sizeof *own, by_value);
    if (rank == 0) printf("%s %.4f\n", argv[4 + k], own[turns / 2] / ranks);
    if (plans[k] != NULL) gatherbench_free(&plans[k]);
  }
  free(us);
  free(receive);
  free(send);
  MPI_Finalize();
  return 0;
}
