// SPDX-License-Identifier: BSD-3-Clause
#include "bench/meet_partner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/host/rank_zero.h"
#include "bench/results/result_file.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

/// The one that both jobs of a duet take, in place of the own one.
void take_seed(const Duet& duet, Setup& setup, formats::Metadata& metadata, MPI_Comm world) {
  const std::string text = on_rank_zero(world, [&] { return duet.seed; });
  setup.options.seed = static_cast<std::uint64_t>(
      text::parse_integer("--duet", text, 0, std::numeric_limits<std::int64_t>::max()));
  std::ranges::find(metadata, "seed", &formats::Metadata::value_type::first)->second = text;
}

}  // namespace

Duet meet_partner(Setup& setup, const Seed& seed, formats::Metadata& metadata, MPI_Comm world) {
  const Options& options = setup.options;
  if (!options.duet) return {};
  DuetHello own{.must_agree = formats::select(metadata, formats::Purpose::duet),
                .seed = fmt::to_string(seed.value),
                .seed_is_fixed = seed.is_fixed};
  std::vector<std::string_view> mappings;
  for (const MappedCases& part : setup.parts) mappings.push_back(part.order.label);
  own.must_agree.emplace_back("mapping", fmt::format("{}", fmt::join(mappings, ",")));
  on_rank_zero(world, [&] {
    if (!options.output.empty()) {
      const ResultFile::Kept kept = ResultFile::look(options.output, metadata, options.resume);
      own.resumed_pair = kept.duet_pair;
      own.finished = kept.cases;
    }
    return std::string();
  });
  Duet duet = join_duet(*options.duet, std::move(own), options.timeout, world);
  take_seed(duet, setup, metadata, world);
  return duet;
}

}  // namespace gatherbench::bench
