/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recursive doubling as Pappalardo et al. print it: both partners send before they receive, which
 * ends only as long as the MPI library buffers what is sent. No MPI_Allgather either: each rank
 * appends what it receives, so the blocks are out of order.
 *
 *   mpicc docs/studies/programs/send_before_receive.c -o /tmp/send_before_receive
 *   build/bin/mpirun_here 16 timeout 10 /tmp/send_before_receive 128    (ints a rank)
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int held = argc > 1 ? atoi(argv[1]) : 1;
  int* const blocks = calloc((size_t)held * (size_t)ranks, sizeof(int));
  for (int distance = 1; distance < ranks; distance *= 2, held *= 2) {
    const int partner = rank ^ distance;
    MPI_Send(blocks, held, MPI_INT, partner, 0, MPI_COMM_WORLD);
    MPI_Recv(blocks + held, held, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("%d ranks: done\n", ranks);
  free(blocks);
  MPI_Finalize();
  return 0;
}
