// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "distributions/arrivals/pattern_table.h"
#include "distributions/block_sizes.h"
#include "formats/columns.h"
#include "formats/launch_spread.h"
#include "formats/mapping.h"
#include "formats/metadata.h"
#include "formats/row.h"
#include "gatherbench_version.h"
#include "runtime/policies/choices.h"
#include "tools/allgather_schedule/catalogue/catalogue.h"
#include "tools/allgather_schedule/common/json_rows.h"

namespace gatherbench::allgather_schedule {
namespace {

using Json = nlohmann::ordered_json;
using algorithms::Algorithm;
using algorithms::AlgorithmSet;

/// Returns a name for print: the row's own title, or the name as words, the first with a capital.
std::string title_of(std::string_view name, std::string_view title) {
  if (!title.empty()) return std::string(title);
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

/// Returns a list with what `describe` makes of each row of a table.
template <typename Rows, typename Describe>
Json list_of(const Rows& rows, Describe describe) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(describe(row));
  return list;
}

/// Returns a list of this name; an empty one if the name is empty.
Json names_if(std::string_view only) { return only.empty() ? Json::array() : Json::array({only}); }

Json describe(const collectives::Collective& collective) {
  return {{"name", collective.name},         {"executable", collective.executable},
          {"title", collective.title},       {"kind", collective.kind->name},
          {"word", collective.word},         {"bandwidth_factor", collective.bandwidth_factor.text},
          {"has_root", collective.has_root}, {"one_buffer", collective.one_buffer}};
}

/// Returns each name once: algorithms of several collectives may share one.
std::vector<std::string_view> names_of(const std::vector<const Algorithm*>& algorithms) {
  std::vector<std::string_view> names;
  for (const Algorithm* const one : algorithms) {
    if (std::ranges::find(names, one->name) == names.end()) names.push_back(one->name);
  }
  return names;
}

/// Lists, for each collective that has some, the members' names that are no member of it.
Json left_out(const AlgorithmSet& set) {
  Json rows = Json::array();
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    const std::vector<std::string_view> in = names_of(members(set, &collective));
    Json left = Json::array();
    for (const std::string_view name : names_of(members(set))) {
      const bool is_there = algorithms::find_algorithm(name, collective) != nullptr;
      if (is_there && std::ranges::find(in, name) == in.end()) left.push_back(name);
    }
    if (!left.empty()) rows.push_back({{"collective", collective.name}, {"algorithms", left}});
  }
  return rows;
}

Json describe(const AlgorithmSet& set) {
  return {{"name", set.name},
          {"text", set.text},
          {"left_out", left_out(set)},
          {"algorithms", names_of(members(set))}};
}

/// Lists the algorithms with parameters that a policy may choose, for each kind of collective.
Json star_variants() {
  Json rows = Json::array();
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    if (collective.kind != &collective) continue;
    for (const algorithms::Choice& each : policies::star_variants(collective)) {
      rows.push_back({{"name", each.label()}, {"kind", collective.name}});
    }
  }
  return rows;
}

std::string_view growth_text(algorithms::Growth growth) {
  switch (growth) {
    case algorithms::Growth::linear:
      return "linear";
    case algorithms::Growth::logarithmic:
      return "logarithmic";
    case algorithms::Growth::other:
      return "other";
  }
  return "";
}

Json describe(const algorithms::Parameter& parameter) {
  return {{"name", parameter.name},
          {"text", parameter.summary},
          {"default", to_text(parameter.default_value)},
          {"kind", kind_of(parameter)}};
}

/// Returns the text of a formula; empty if there is none.
std::string_view text_of(const std::optional<algorithms::Formula>& formula) {
  return formula ? formula->text : std::string_view();
}

Json describe(const Algorithm& algorithm) {
  Json collectives = Json::array();
  for (const collectives::Collective& one : collectives::all_collectives()) {
    if (computes(algorithm, one)) collectives.push_back(one.name);
  }
  return {{"name", algorithm.name},
          {"title", title_of(algorithm.name, algorithm.title)},
          {"summary", algorithm.summary},
          {"source", algorithm.source},
          {"default_of", algorithm.default_of},
          {"needs", needs_text(algorithm)},
          {"steps", text_of(algorithm.steps)},
          {"messages", text_of(algorithm.messages)},
          {"bytes", text_of(algorithm.bytes)},
          {"collectives", collectives},
          {"step_growth", growth_text(algorithm.growth)},
          {"node_aware", algorithm.uses_nodes},
          {"arrival_aware", algorithm.is<algorithms::ByArrivals>()},
          {"has_schedule", algorithm.schedules() != nullptr},
          {"takes_order", takes_order(algorithm)},
          {"parameters", list_of(algorithm.parameters,
                                 [](const algorithms::Parameter& one) { return describe(one); })}};
}

Json describe(const algorithms::NamedOrder& order) {
  return {{"name", order.name}, {"text", order.summary}};
}

Json describe(const distributions::NamedDistribution& distribution) {
  return {{"name", distribution.name},
          {"title", title_of(distribution.name, distribution.title)},
          {"text", distribution.summary},
          {"total", distribution.total}};
}

Json describe(const formats::MappingWord& mapping) {
  return {{"name", mapping.name},
          {"title", title_of(mapping.name, {})},
          {"text", mapping.text},
          {"selectable", mapping.selectable}};
}

Json describe(const arrivals::ArrivalParameter& parameter) {
  Json number;  // null
  if (parameter.default_value) {
    number = Json::parse(fmt::format("{}", *parameter.default_value));  // 4, not 4.0
  }
  return {{"name", parameter.name}, {"kind", kind_of(parameter)}, {"default", number}};
}

Json describe(const arrivals::NamedArrival& pattern) {
  return {{"name", pattern.name},
          {"text", pattern.summary},
          {"steady", pattern.steady},
          {"size_meaning", pattern.size_meaning},
          {"parameters", list_of(pattern.parameters, [](const arrivals::ArrivalParameter& one) {
             return describe(one);
           })}};
}

Json describe(const formats::Column& column) {
  return {{"name", column.name},
          {"unit", column.unit},
          {"type", type_name(column)},
          {"text", column.text},
          {"role", name_of(column.role)},
          {"filled", name_of(column.filled)},
          {"when_absent", column.when_absent}};
}

Json columns_in(formats::File file) {
  return list_of(formats::columns_of(file),
                 [](const formats::Column* column) { return describe(*column); });
}

Json describe(const formats::StatusWord& status) {
  return {{"name", status.name}, {"text", status.text}, {"timed", status.timed}};
}

Json describe(const formats::MetadataKey& key) {
  return {{"key", key.key},
          {"text", key.text},
          {"prefix", key.is_prefix},
          {"must_agree_to", names_of(key.must_agree_to)},
          {"formerly", names_if(key.formerly)},
          {"when_absent", key.when_absent}};
}

}  // namespace

std::string catalogue_json() {
  const auto rows_of = [](const auto& table) {
    return list_of(table, [](const auto& row) { return describe(row); });
  };
  return json_with_rows(Json{{"suite", fmt::format("gatherbench {}", release)},
                             {"collectives", rows_of(collectives::all_collectives())},
                             {"algorithm_sets", rows_of(algorithms::algorithm_sets())},
                             {"algorithms", rows_of(algorithms::all_algorithms())},
                             {"star_variants", star_variants()},
                             {"orders", rows_of(algorithms::named_orders())},
                             {"distributions", rows_of(distributions::named_distributions())},
                             {"mappings", rows_of(formats::mappings)},
                             {"arrival_patterns", rows_of(arrivals::named_arrivals())},
                             {"columns", columns_in(formats::File::results)},
                             {"rank_columns", columns_in(formats::File::ranks)},
                             {"step_columns", columns_in(formats::File::steps)},
                             {"counter_columns", columns_in(formats::File::counters)},
                             {"statuses", rows_of(formats::statuses())},
                             {"metadata", rows_of(formats::metadata_keys())},
                             {"secret_words", formats::secret_words},
                             {"launch_spread", formats::launch_spread}});
}

}  // namespace gatherbench::allgather_schedule
