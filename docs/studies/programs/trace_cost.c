/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What libagtrace.so costs a call: trace_cost same|loop|sizes [CALLS]. One rank, so that a call is
 * next to nothing without it. Prints the mean time of a call in ns, and of the fastest 1000.
 *   same   one call again and again
 *   loop   twelve call sites on three communicators, of six sizes
 *   sizes  a call whose size is never the same twice in a row
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comms[3];

static void same(int i) {
  (void)i;
  MPI_Barrier(comms[0]);
}

static void loop(int i) {
  static int a[64], b[64];
  switch (i % 12) {
    case 0: MPI_Barrier(comms[0]); break;
    case 1: MPI_Bcast(a, 1, MPI_INT, 0, comms[0]); break;
    case 2: MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, comms[1]); break;
    case 3: MPI_Allreduce(a, b, 8, MPI_INT, MPI_SUM, comms[0]); break;
    case 4: MPI_Bcast(a, 16, MPI_INT, 0, comms[1]); break;
    case 5: MPI_Bcast(a, 32, MPI_INT, 0, comms[2]); break;
    case 6: MPI_Barrier(comms[1]); break;
    case 7: MPI_Bcast(a, 64, MPI_INT, 0, comms[0]); break;
    case 8: MPI_Bcast(a, 2, MPI_INT, 0, comms[2]); break;
    case 9: MPI_Bcast(a, 8, MPI_INT, 0, comms[1]); break;
    case 10: MPI_Bcast(a, 1, MPI_INT, 0, comms[2]); break;
    default: MPI_Barrier(comms[2]);
  }
}

static void sizes(int i) {
  static char a[1 << 16];
  MPI_Bcast(a, (int)(i * 2654435761u >> 16), MPI_CHAR, 0, comms[0]);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "same";
  const int calls = argc > 2 ? atoi(argv[2]) : 2000000;
  void (*call)(int) = strcmp(name, "loop") == 0 ? loop : strcmp(name, "sizes") == 0 ? sizes : same;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  double best = 1e9;
  double before = MPI_Wtime();
  const double start = before;
  for (int i = 1; i <= calls; ++i) {
    call(i);
    if (i % 1000 == 0) {
      const double now = MPI_Wtime();
      if (now - before < best) best = now - before;
      before = now;
    }
  }
  printf("mean %.1f, fastest %.1f ns a call\n", (MPI_Wtime() - start) / calls * 1e9, best * 1e6);
  MPI_Finalize();
  return 0;
}
