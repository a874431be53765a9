// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gatherbench::bench {
namespace {

// OSU's: beyond this size a tenth of the iterations.
constexpr std::int64_t large_bytes = 8192;

}  // namespace

std::int64_t Options::iterations_at(std::int64_t bytes) const {
  if (replay.is_asked()) return iterations.value_or(replay_iterations);
  return iterations.value_or(bytes > large_bytes ? 100 : 1000);
}

std::int64_t Options::warmup_at(std::int64_t bytes) const {
  if (replay.is_asked()) return warmup.value_or(replay_warmup);
  return warmup.value_or(bytes > large_bytes ? 10 : 100);
}

TableForm Options::table_form() const {
  const bool several = algorithms.size() > 1 && !has_osu_columns();
  return table.value_or(several ? TableForm::side_by_side : TableForm::osu);
}

std::vector<std::pair<std::string, std::string>> Options::describe() const {
  std::vector<std::string> labels;
  for (const algorithms::Choice& choice : algorithms) labels.push_back(choice.label());
  std::vector<std::string_view> mappings_used;
  for (const Mapping mapping : mappings) mappings_used.push_back(name_of(mapping));
  const auto count = [](const std::optional<std::int64_t>& number, const char* otherwise) {
    return number ? fmt::to_string(*number) : std::string(otherwise);
  };
  const auto number = [](const std::optional<double>& value, const char* unit) {
    return value ? fmt::format("{}{}", *value, unit) : std::string("none");
  };
  std::vector<std::pair<std::string, std::string>> all{
      {"sizes", fmt::format("{}", fmt::join(sizes, ","))},
      {"algorithms", fmt::format("{}", fmt::join(labels, ","))},
      {"distributions", distributions},
      {"arrivals", arrivals},
      {"prediction", prediction.label},
      {"mappings", fmt::format("{}", fmt::join(mappings_used, ","))},
      {"launched_mapping", std::string(name_of(launched_mapping))},
      {"pretended_ranks_per_node", count(ranks_per_node, "none")},
      {"topology", topology.empty() ? "none" : topology},
      {"groups", groups.label},
      {"beside", beside.empty() ? "nothing" : beside},
      {"congest", congest.empty() ? "nobody" : congest},
      {"overlap", count(overlap, "none")},
      {"in_place", in_place ? "yes" : "no"},
      {"buffer_offset", fmt::to_string(place.offset)},
      {"pages", std::string(name_in(pages_names, place.pages))},
      {"noncontiguous", std::string(name_in(algorithms::noncontiguous_names, noncontiguous))},
      {"iterations", replay.is_asked() ? fmt::to_string(iterations.value_or(replay_iterations))
                                       : count(iterations, "1000, above 8192 bytes 100")},
      {"warmup", replay.is_asked() ? fmt::to_string(warmup.value_or(replay_warmup))
                                   : count(warmup, "100, above 8192 bytes 10")},
      {"order", order.text()},
      {"size_order", std::string(name_in(size_order_names, size_order))},
      {"seed", seed ? fmt::to_string(*seed) : "to be drawn"},
      {"check_up_to", count(check_up_to, "all sizes")},
      {"validation", validation ? "yes" : "no"},
      {"precision", number(precision, "")},
      {"max_time", number(max_time, " s")},
      {"record_ranks", records(formats::File::ranks) ? "yes" : "no"},
      {"record_steps", records(formats::File::steps) ? "yes" : "no"},
      {"record_counters", records(formats::File::counters) ? "yes" : "no"}};
  if (datatype) all.emplace_back("datatype", datatype->text);
  if (displacements) all.emplace_back("displacements", displacements->text());
  if (root) all.emplace_back("root", fmt::to_string(*root));
  if (combines()) {
    all.emplace_back("op", std::string(combined_by.operation->name));
    all.emplace_back("type", std::string(combined_by.type->name));
    all.emplace_back("gamma", number(gamma, " s"));
    all.emplace_back("charge_schedule", charge_schedule ? "yes" : "no");
  }
  return all;
}

}  // namespace gatherbench::bench
