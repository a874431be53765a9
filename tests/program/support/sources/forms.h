// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks of ints in the forms that datatypes give them, for the programs that run under
// libagstar.so.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

inline int world_rank = 0;

constexpr int guard = -77;  // where nothing may be written

[[noreturn]] inline void fail(const char* what, int seed) {
  std::fprintf(stderr, "rank %d, seed %d: %s\n", world_rank, seed, what);
  std::_Exit(1);
}

inline void require(bool good, const char* what, int seed = 0) {
  if (!good) fail(what, seed);
}

inline std::size_t index(int place) { return static_cast<std::size_t>(place); }

inline int value(int seed, int rank, int i) {
  return (seed * 7919 + rank * 131 + i * 17) & 0x3fffffff;
}

/// One datatype for a block of n ints, and where it has the i-th of the b-th block.
struct Form {
  MPI_Datatype type = MPI_INT;
  int count = 0;
  int extent = 0;  // of a block, in ints
  std::function<int(int)> place;
  bool is_made = false;

  void free() {
    if (is_made) MPI_Type_free(&type);
  }
};

constexpr int forms = 6;

inline Form make_form(int kind, int n) {
  Form form;
  form.count = 1;
  form.extent = n;
  form.place = [](int i) { return i; };
  form.is_made = true;
  const auto size = static_cast<std::size_t>(n);
  switch (kind % forms) {
    case 0:
      form.count = n;
      form.is_made = false;
      return form;
    case 1:
      MPI_Type_contiguous(n, MPI_INT, &form.type);
      break;
    case 2:
      MPI_Type_vector(n, 1, 2, MPI_INT, &form.type);
      form.extent = 2 * n - 1;
      form.place = [](int i) { return 2 * i; };
      break;
    case 3: {  // fills its extent, in another order
      const std::vector<int> lengths(size, 1);
      std::vector<MPI_Aint> places(size);
      for (int i = 0; i < n; ++i) places[static_cast<std::size_t>(i)] = 4 * MPI_Aint{n - 1 - i};
      MPI_Type_create_hindexed(n, lengths.data(), places.data(), MPI_INT, &form.type);
      form.place = [n](int i) { return n - 1 - i; };
      break;
    }
    case 4: {
      MPI_Datatype whole = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(n, MPI_INT, &whole);
      MPI_Type_create_resized(whole, 0, 4 * MPI_Aint{n + 3}, &form.type);
      MPI_Type_free(&whole);
      form.extent = n + 3;
      break;
    }
    default: {
      MPI_Datatype whole = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(n, MPI_INT, &whole);
      MPI_Type_dup(whole, &form.type);
      MPI_Type_free(&whole);
      break;
    }
  }
  MPI_Type_commit(&form.type);
  return form;
}
