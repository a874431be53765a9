// SPDX-License-Identifier: BSD-3-Clause
// Reduces by an operator of the program that does not commute, to results of all sizes to 4096
// integers that grow by a half, and prints "right" if all are those of rank 0.
#include <mpi.h>

#include <cstdio>
#include <vector>

// Keeps the left one of two: what comes first in the order of ranks.
static void keep_left(void* left, void* right, int* length, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(right)[i] = static_cast<int*>(left)[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(keep_left, 0, &op);
  long wrong = 0;
  for (int count = 1; count <= 4096; count += count / 2 + 1) {
    std::vector<int> own(static_cast<std::size_t>(count), rank + 1);
    std::vector<int> found(own.size(), 0);
    MPI_Allreduce(own.data(), found.data(), count, MPI_INT, op, MPI_COMM_WORLD);
    for (const int one : found) wrong += one != 1 ? 1 : 0;
    found.assign(found.size(), 0);
    MPI_Reduce(own.data(), found.data(), count, MPI_INT, op, 0, MPI_COMM_WORLD);
    for (const int one : found) wrong += rank == 0 && one != 1 ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf(wrong == 0 ? "right\n" : "wrong\n");
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
