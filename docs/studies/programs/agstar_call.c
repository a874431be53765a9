/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libagstar.so makes of a program's calls: in one process batches of MPI_Allgather, which the
 * library intercepts, alternate with batches of PMPI_Allgather, which it does not, as A B B A, so that
 * neither drift nor the placement of a process counts. The same of the other collectives that it
 * chooses for. It knows nothing of this suite.
 *
 *   mpicc -O2 docs/studies/programs/agstar_call.c -o build/agstar_call
 *   mpirun -n 2 env LD_PRELOAD=build/lib/libagstar.so build/agstar_call COLLECTIVE ELEMENTS CALLS BATCHES
 *
 * COLLECTIVE is allgather, allgatherv, alltoall, bcast, reduce or allreduce; a block has so many
 * ELEMENTS of 8 bytes, and is a rank's, of an alltoall a pair's, of the last three the whole vector.
 * CALLS of each function in a batch, BATCHES of each. A batch ends with a barrier: the root of a
 * broadcast is done with its calls long before the others are. It prints the median over the pairs of
 * batches of what a call takes more, with the quartiles, the median of the function that nobody
 * intercepts, and the time of all intercepted calls over that of all others. The first calls count
 * too: whatever is tried, is in it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, elements, calls;
static long *mine, *all;
static int *counts, *places;

enum collective { ALLGATHER, ALLGATHERV, ALLTOALL, BCAST, REDUCE, ALLREDUCE, NONE };
static const char* const names[] = {"allgather", "allgatherv", "alltoall",
                                    "bcast",     "reduce",     "allreduce"};

#define CALL(prefix)                                                                               \
  switch (which) {                                                                                 \
    case ALLGATHER: prefix##Allgather(mine, elements, MPI_LONG, all, elements, MPI_LONG,           \
                                      MPI_COMM_WORLD); break;                                      \
    case ALLGATHERV: prefix##Allgatherv(mine, elements, MPI_LONG, all, counts, places, MPI_LONG,   \
                                        MPI_COMM_WORLD); break;                                    \
    case ALLTOALL: prefix##Alltoall(mine, elements, MPI_LONG, all, elements, MPI_LONG,             \
                                    MPI_COMM_WORLD); break;                                        \
    case BCAST: prefix##Bcast(all, elements, MPI_LONG, 0, MPI_COMM_WORLD); break;                  \
    case REDUCE: prefix##Reduce(mine, all, elements, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD); break; \
    case ALLREDUCE: prefix##Allreduce(mine, all, elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);     \
      break;                                                                                       \
    case NONE: break;                                                                              \
  }

static double batch(enum collective which, int is_ours) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (is_ours) {
    for (int i = 0; i < calls; ++i) CALL(MPI_)
  } else {
    for (int i = 0; i < calls; ++i) CALL(PMPI_)
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - start) / calls * 1e9;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  enum collective which = ALLGATHER;
  while (argc == 5 && which != NONE && strcmp(argv[1], names[which]) != 0) ++which;
  const int pairs = argc == 5 ? atoi(argv[4]) : 0;
  if (argc == 5) elements = atoi(argv[2]), calls = atoi(argv[3]);
  if (which == NONE || elements < 1 || calls < 1 || pairs < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: agstar_call allgather|allgatherv|alltoall|bcast|reduce|allreduce "
                      "ELEMENTS CALLS BATCHES, each at least 1\n");
    MPI_Finalize();
    return 2;
  }
  const size_t most = (size_t)elements * (size_t)ranks;
  mine = calloc(most, sizeof(long));
  all = calloc(most, sizeof(long));
  memset(mine, rank, most * sizeof(long)); /* pages that nobody wrote are all the same one */
  counts = malloc(sizeof(int) * (size_t)ranks);
  places = malloc(sizeof(int) * (size_t)ranks);
  for (int i = 0; i < ranks; ++i) counts[i] = elements, places[i] = i * elements;
  double* const more = malloc(sizeof(double) * (size_t)pairs);
  double* const plain = malloc(sizeof(double) * (size_t)pairs);
  double ours = 0, theirs = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const int first = pair % 2;
    const double one = batch(which, first), other = batch(which, !first);
    more[pair] = first ? one - other : other - one;
    plain[pair] = first ? other : one;
    ours += plain[pair] + more[pair];
    theirs += plain[pair];
  }
  qsort(more, (size_t)pairs, sizeof(double), ascending);
  qsort(plain, (size_t)pairs, sizeof(double), ascending);
  if (rank == 0)
    printf("more=%.0f ns, quartiles %.0f to %.0f; without %.0f ns; all calls %.4f times\n",
           more[pairs / 2], more[pairs / 4], more[3 * pairs / 4], plain[pairs / 2], ours / theirs);
  MPI_Finalize();
  return 0;
}
