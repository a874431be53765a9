/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What reading the clock costs: loops of MPI_Allgather with a reading before and after each call, and
 * loops with one before and one after the loop, as IMB has them, take turns.
 *
 *   mpicc -O2 docs/studies/programs/clock_reads.c -o build/clock_reads
 *   mpirun -n 2 build/clock_reads BYTES CALLS ROUNDS
 *
 * BYTES a rank, CALLS a loop, ROUNDS of both loops. Rank 0 prints its median over the rounds of the
 * time of the first loop over that of the second, and the median time of a call in the second.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int bytes, calls;
static char *mine, *all;
static double between;  // the readings of each call, as a benchmark adds them up

static void gather(void) {
  MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static double loop(int reads_in_calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int call = 0; call < calls; ++call) {
    if (reads_in_calls) {
      const double begin = MPI_Wtime();
      gather();
      between += MPI_Wtime() - begin;
    } else {
      gather();
    }
  }
  return MPI_Wtime() - start;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc == 4 ? atoi(argv[3]) : 0;
  bytes = argc == 4 ? atoi(argv[1]) : 0, calls = argc == 4 ? atoi(argv[2]) : 0;
  if (bytes < 1 || calls < 1 || rounds < 1) {
    if (rank == 0) fprintf(stderr, "usage: clock_reads BYTES CALLS ROUNDS, each 1 or more\n");
    MPI_Finalize();
    return 2;
  }
  mine = calloc((size_t)bytes, 1);
  all = calloc((size_t)bytes, (size_t)ranks);
  double* const ratios = malloc(sizeof(double) * (size_t)rounds);
  double* const plain = malloc(sizeof(double) * (size_t)rounds);
  loop(0), loop(1);
  for (int round = 0; round < rounds; ++round) {
    const int first = round % 2;
    const double one = loop(first), other = loop(!first);
    plain[round] = first ? other : one;
    ratios[round] = (first ? one : other) / plain[round];
  }
  qsort(ratios, (size_t)rounds, sizeof(double), ascending);
  qsort(plain, (size_t)rounds, sizeof(double), ascending);
  if (rank == 0)
    printf("%d B: %.3f, %.3f us a call; %g s between the readings\n", bytes, ratios[rounds / 2],
           plain[rounds / 2] / calls * 1e6, between);
  MPI_Finalize();
  return 0;
}
