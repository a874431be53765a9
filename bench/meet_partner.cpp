// SPDX-License-Identifier: BSD-3-Clause
#include "bench/meet_partner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/host/rank_zero.h"
#include "bench/results/metadata.h"
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

namespace {

/// Returns the seed that both jobs of a duet take.
std::uint64_t agreed_seed(const Duet& duet, MPI_Comm world) {
  const std::string text = text_of_rank_zero(world, [&] { return duet.seed; });
  return static_cast<std::uint64_t>(
      text::parse_integer("--duet", text, 0, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

Met meet_partner(const Setup& setup, const Seed& own, MPI_Comm world) {
  const Options& options = setup.options;
  if (!options.duet) return {{}, own.value};
  const formats::Metadata metadata = describe_run(setup);
  DuetHello hello{.must_agree = formats::select(metadata, formats::Purpose::duet),
                  .seed = fmt::to_string(own.value),
                  .seed_is_fixed = own.is_fixed};
  std::vector<std::string_view> mappings;
  for (const MappedCases& part : setup.parts) mappings.push_back(part.order.label);
  hello.must_agree.emplace_back("mapping", fmt::format("{}", fmt::join(mappings, ",")));
  run_on_rank_zero(world, [&] {
    if (options.output.empty()) return;
    const ResultFile::Kept kept = ResultFile::look(options.output, metadata, options.resume);
    hello.resumed_pair = kept.duet_pair;
    hello.finished = kept.cases;
  });
  Duet duet = join_duet(*options.duet, std::move(hello), options.timeout, world);
  const std::uint64_t seed = agreed_seed(duet, world);
  return {std::move(duet), seed};
}

}  // namespace gatherbench::bench
