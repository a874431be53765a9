/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gathers unequal blocks with an algorithm of gatherbench's, waiting for it and not, and compares
 * with MPI_Allgatherv's result. docs/how-to/library.md explains.
 *
 *     allgather_in_c ALGORITHM    such as sparbit, bruck:k=4
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gatherbench.h"

/* Rank i has i + 1 doubles. */
static int gathers_right(const char *algorithm, gatherbench_plan *plan, const double *own,
                         const double *all, int rank, int ranks, const int *counts,
                         const int *places, int total) {
  double *expected = malloc(sizeof(double) * (size_t)total);
  MPI_Allgatherv(own, counts[rank], MPI_DOUBLE, expected, counts, places, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  int code = gatherbench_run(plan); /* as often as one likes */
  int right = code == MPI_SUCCESS && memcmp(all, expected, sizeof(double) * (size_t)total) == 0;
  if (code == MPI_SUCCESS) code = gatherbench_start(plan);
  for (int done = 0; code == MPI_SUCCESS && !done;) code = gatherbench_test(plan, &done);
  if (code == MPI_SUCCESS) code = gatherbench_wait(plan);
  right = right && code == MPI_SUCCESS &&
          memcmp(all, expected, sizeof(double) * (size_t)total) == 0;
  int all_right = 0;
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s on %d ranks, from C: %s\n", algorithm, ranks,
           all_right ? "all as MPI_Allgatherv's" : "WRONG");
  }
  free(expected);
  return all_right;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *algorithm = argc > 1 ? argv[1] : "sparbit";
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int *counts = malloc(sizeof(int) * (size_t)ranks), *places = malloc(sizeof(int) * (size_t)ranks);
  int64_t *bytes = malloc(sizeof(int64_t) * (size_t)ranks);
  int total = 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i + 1;
    bytes[i] = counts[i] * (int64_t)sizeof(double);
    places[i] = total;
    total += counts[i];
  }
  double *own = malloc(sizeof(double) * (size_t)counts[rank]);
  double *all = malloc(sizeof(double) * (size_t)total);
  for (int i = 0; i < counts[rank]; ++i) own[i] = rank;

  gatherbench_plan *plan = NULL;
  int right = 0;
  if (gatherbench_allgatherv_init(own, all, bytes, NULL, MPI_COMM_WORLD, algorithm, &plan) ==
      MPI_SUCCESS) {
    right = gathers_right(algorithm, plan, own, all, rank, ranks, counts, places, total);
    gatherbench_free(&plan); /* before MPI_Finalize */
  } else if (rank == 0) {
    fprintf(stderr, "allgather_in_c: %s\n", gatherbench_error());
  }
  free(all);
  free(own);
  free(bytes);
  free(places);
  free(counts);
  MPI_Finalize();
  return right ? 0 : 2;
}
