// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the tests on every rank. A failure on any rank is shown by that rank and fails the program;
// a rank that throws out of collective calls would leave the others waiting, so it ends the job.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

#include "bench/native/native_choice.h"
#include "tests/bench/yield_timer.h"

int main(int argc, char** argv) {
  const gatherbench::algorithms::Choice any{gatherbench::algorithms::find_algorithm("native"),
                                            "any"};
  gatherbench::bench::prepare_native_variants(gatherbench::collectives::allgather, {&any, 1});
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(catch_exceptions) = false;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::optional<gatherbench::bench::YieldTimer> timer;
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  if (ranks >= processors && gatherbench::bench::library_waits_without_yielding()) {
    timer.emplace(100);
  }
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    class FailuresOnly : public testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.failed()) std::fprintf(stderr, "%s\n", result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  int failed = 1;
  try {
    failed = RUN_ALL_TESTS();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int any_failed = failed;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  timer.reset();
  MPI_Finalize();
  return any_failed;
}
