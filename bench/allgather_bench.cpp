// SPDX-License-Identifier: BSD-3-Clause
#include "bench/benchmark.h"

int main(int argc, char** argv) {
  return gatherbench::run_benchmark(gatherbench::Collective::allgather, argc, argv);
}
