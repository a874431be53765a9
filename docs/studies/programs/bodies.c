/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mini-application as NBODY of Faraj 2006, 4.3.2.3: in each step every rank moves its bodies by the
 * pull of all others, and MPI_Allgather tells the others. It knows nothing of this suite.
 *
 *   mpicc -O2 docs/studies/programs/bodies.c -o build/bodies -lm
 *   mpirun -n 8 build/bodies STEPS BODIES_A_RANK [EVERY [MORE]]
 *
 * A body pulls with its x, y and z, 24 bytes; with EVERY = 8 only each eighth one does. With MORE the
 * last rank has so many bodies more than BODIES_A_RANK, the first as many fewer, those between in
 * proportion, and MPI_Allgatherv tells the others, as in his NTUBE. Prints the seconds of all steps,
 * those in the all-gather on rank 0, and a sum over the last places, which is the same however blocks
 * travelled.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Adds to each own body's speed what the others pull it, each `every`-th of them. */
static void pull_all(double* speed, const double* mine, int own, const double* place, int all,
                     int every) {
  for (int i = 0; i < own; ++i) {
    for (int other = 0; other < all; other += every) {
      const double x = place[3 * other] - mine[3 * i];
      const double y = place[3 * other + 1] - mine[3 * i + 1];
      const double z = place[3 * other + 2] - mine[3 * i + 2];
      const double far = x * x + y * y + z * z + 0.01;
      const double pull = 1e-6 / (far * sqrt(far));
      speed[3 * i] += pull * x;
      speed[3 * i + 1] += pull * y;
      speed[3 * i + 2] += pull * z;
    }
  }
}

/* The doubles of each rank and where they begin, in counts and begins; returns all bodies. */
static int deal(int mean, int more, int ranks, int* counts, int* begins) {
  int all = 0;
  for (int r = 0; r < ranks; ++r) {
    const int bodies = mean + (more == 0 ? 0 : more * (2 * r - ranks + 1) / (ranks - 1));
    counts[r] = 3 * bodies;
    begins[r] = 3 * all;
    all += bodies;
  }
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) {
    if (rank == 0) fprintf(stderr, "usage: bodies STEPS BODIES_A_RANK [EVERY [MORE]]\n");
    MPI_Finalize();
    return 2;
  }
  const int steps = atoi(argv[1]), mean = atoi(argv[2]), every = argc > 3 ? atoi(argv[3]) : 1;
  const int more = argc > 4 && ranks > 1 ? atoi(argv[4]) : 0;
  int* const counts = malloc(sizeof(int) * (size_t)ranks);
  int* const begins = malloc(sizeof(int) * (size_t)ranks);
  const int all = deal(mean, more, ranks, counts, begins);
  const int own = counts[rank] / 3;
  double* const place = malloc(sizeof(double) * 3 * (size_t)all);
  double* const mine = malloc(sizeof(double) * 3 * (size_t)own);
  double* const speed = calloc(3 * (size_t)own, sizeof(double));
  for (int i = 0; i < 3 * own; ++i) mine[i] = sin(1.0 + i + begins[rank]);
  MPI_Allgatherv(mine, 3 * own, MPI_DOUBLE, place, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
  double gathering = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    pull_all(speed, mine, own, place, all, every);
    for (int i = 0; i < 3 * own; ++i) mine[i] += speed[i];
    const double before = MPI_Wtime();
    if (more == 0) {
      MPI_Allgather(mine, 3 * own, MPI_DOUBLE, place, 3 * own, MPI_DOUBLE, MPI_COMM_WORLD);
    } else {
      MPI_Allgatherv(mine, 3 * own, MPI_DOUBLE, place, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    gathering += MPI_Wtime() - before;
  }
  const double seconds = MPI_Wtime() - start;
  double sum = 0;
  for (int i = 0; i < 3 * all; ++i) sum += place[i] * (1 + i % 7);
  if (rank == 0) printf("seconds=%.6f gathering=%.6f sum=%.17g\n", seconds, gathering, sum);
  MPI_Finalize();
  return 0;
}
