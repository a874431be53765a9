// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of the programs that run under libagstar.so.
#pragma once

#include <mpi.h>

#include "forms.h"

/// The even and the odd ranks of the world, and an intercommunicator between both groups.
struct TwoGroups {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm bridge = MPI_COMM_NULL;
  int others = 0;  ///< ranks of the other group

  TwoGroups() {
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - world_rank % 2, 5, &bridge);
    MPI_Comm_remote_size(bridge, &others);
  }
  ~TwoGroups() {
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&own);
  }
  TwoGroups(const TwoGroups&) = delete;
  TwoGroups& operator=(const TwoGroups&) = delete;

  /// The rank in the world of a rank of the other group.
  static int other(int rank) { return 2 * rank + 1 - world_rank % 2; }
};

/// A duplicate of the world whose errors are counted and returned.
struct CountsErrors {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  static inline int errors = 0;

  CountsErrors() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count, &handler);
    MPI_Comm_set_errhandler(comm, handler);
  }
  ~CountsErrors() {
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
  }
  static void count(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++errors; }
  CountsErrors(const CountsErrors&) = delete;
  CountsErrors& operator=(const CountsErrors&) = delete;

  /// Makes the same call by the library's own function (false) and by MPI's name (true), which has
  /// to have the same class of error, and as many calls of the error handler.
  template <class Call>
  static void require_alike(Call call, const char* what) {
    int classes[2] = {};
    int reported[2] = {};
    for (int way = 0; way < 2; ++way) {
      const int before = errors;
      MPI_Error_class(call(way == 1), &classes[way]);
      reported[way] = errors - before;
    }
    require(classes[0] == classes[1], what, classes[1]);
    require(reported[0] == reported[1], what, reported[1]);
  }
};
