// SPDX-License-Identifier: BSD-3-Clause
#include "bench/benchmark.h"

int main(int argc, char** argv) {
  return gatherbench::bench::run_benchmark(gatherbench::collectives::allreduce, argc, argv);
}
