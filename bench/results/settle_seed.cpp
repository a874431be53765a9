// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/settle_seed.h"

#include <fmt/format.h>

#include <limits>
#include <random>
#include <string>

#include "bench/host/rank_zero.h"
#include "bench/results/result_file.h"
#include "formats/text/parse.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {

Seed settle_seed(const Options& options, MPI_Comm world) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (options.seed) return {*options.seed, true};
  std::string kept;
  if (options.resume) {
    kept = text_of_rank_zero(world, [&] { return ResultFile::value_in(options.output, "seed"); });
  }
  if (!kept.empty()) {
    const std::string source = fmt::format("--resume: {}: seed", options.output);
    return {static_cast<std::uint64_t>(text::parse_integer(source, kept, 0, largest)), true};
  }
  if (mpi::rank_model().one_process) return {1, true};
  const std::string drawn =
      text_of_rank_zero(world, [] { return fmt::to_string(std::random_device()()); });
  return {static_cast<std::uint64_t>(text::parse_integer("seed", drawn, 0, largest)), false};
}

}  // namespace gatherbench::bench
