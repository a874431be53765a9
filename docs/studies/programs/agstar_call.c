/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libagstar.so makes of a program's calls: in one process batches of MPI_Allgather, which the
 * library intercepts, alternate with batches of PMPI_Allgather, which it does not, as A B B A, so that
 * neither drift nor the placement of a process counts. It knows nothing of this suite.
 *
 *   mpicc -O2 docs/studies/programs/agstar_call.c -o build/agstar_call
 *   mpirun -n 2 env LD_PRELOAD=build/lib/libagstar.so build/agstar_call DOUBLES CALLS BATCHES
 *
 * DOUBLES a rank, CALLS of each function in a batch, BATCHES of each. Of rank 0 it prints the median
 * over the pairs of batches of what a call takes more, with the quartiles, the median of
 * PMPI_Allgather itself, and the time of all intercepted calls over that of all others. The first
 * calls count too: whatever is tried, is in it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int doubles, calls;
static double *mine, *all;

static double batch(int is_ours) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (is_ours) {
    for (int i = 0; i < calls; ++i)
      MPI_Allgather(mine, doubles, MPI_DOUBLE, all, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
  } else {
    for (int i = 0; i < calls; ++i)
      PMPI_Allgather(mine, doubles, MPI_DOUBLE, all, doubles, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / calls * 1e9;
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
  if (argc < 4) {
    if (rank == 0) fprintf(stderr, "usage: agstar_call DOUBLES CALLS BATCHES\n");
    MPI_Finalize();
    return 2;
  }
  doubles = atoi(argv[1]), calls = atoi(argv[2]);
  const int pairs = atoi(argv[3]);
  mine = calloc((size_t)doubles, sizeof(double));
  all = calloc((size_t)doubles * (size_t)ranks, sizeof(double));
  double* const more = malloc(sizeof(double) * (size_t)pairs);
  double* const plain = malloc(sizeof(double) * (size_t)pairs);
  double ours = 0, theirs = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const int first = pair % 2;
    const double one = batch(first), other = batch(!first);
    more[pair] = first ? one - other : other - one;
    plain[pair] = first ? other : one;
    ours += plain[pair] + more[pair];
    theirs += plain[pair];
  }
  qsort(more, (size_t)pairs, sizeof(double), ascending);
  qsort(plain, (size_t)pairs, sizeof(double), ascending);
  if (rank == 0)
    printf("more=%.0f ns, quartiles %.0f to %.0f; PMPI_Allgather %.0f ns; all calls %.4f times\n",
           more[pairs / 2], more[pairs / 4], more[3 * pairs / 4], plain[pairs / 2], ours / theirs);
  MPI_Finalize();
  return 0;
}
