// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/catalogue/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/choice/algorithm_sets.h"
#include "algorithms/choice/choice.h"
#include "algorithms/choice/parameter_text.h"
#include "algorithms/collectives/collective.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/pattern_table.h"
#include "distributions/block_sizes.h"
#include "formats/columns.h"
#include "formats/gzip.h"
#include "formats/mapping.h"
#include "formats/metadata.h"
#include "formats/status.h"
#include "formats/text/input_error.h"
#include "gatherbench_version.h"
#include "tools/allgather_schedule/common/json.h"

namespace gatherbench::allgather_schedule {
namespace {

using algorithms::Algorithm;
using algorithms::AlgorithmSet;

/// Text of each row of a table, by `describe`.
template <typename Rows, typename Describe>
std::string json_rows(const Rows& rows, Describe describe) {
  std::vector<std::string> values;
  for (const auto& row : rows) values.push_back(describe(row));
  return json::array(values);
}

/// What a name is in print: the row's own title, or the name as words, the first with a capital.
std::string title_of(std::string_view name, std::string_view title) {
  if (!title.empty()) return std::string(title);
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

std::string describe(const collectives::Collective& collective) {
  return json::object({{"name", json::text(collective.name)},
                       {"executable", json::text(collective.executable)},
                       {"title", json::text(collective.title)},
                       {"kind", json::text(collective.kind->name)},
                       {"word", json::text(collective.word)},
                       {"bandwidth_factor", json::text(collective.bandwidth_factor.text)}});
}

/// Each once: algorithms of several collectives may share one.
std::vector<std::string_view> names_of(const std::vector<const Algorithm*>& algorithms) {
  std::vector<std::string_view> names;
  for (const Algorithm* const one : algorithms) {
    if (std::ranges::find(names, one->name) == names.end()) names.push_back(one->name);
  }
  return names;
}

/// Of each collective that has some the members' names that are no member of it.
std::string left_out(const AlgorithmSet& set) {
  std::vector<std::string> rows;
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    const std::vector<std::string_view> in = names_of(members(set, &collective));
    std::vector<std::string> left;
    for (const std::string_view name : names_of(members(set))) {
      const bool is_there = algorithms::find_algorithm(name, collective) != nullptr;
      if (is_there && std::ranges::find(in, name) == in.end()) left.push_back(json::text(name));
    }
    if (left.empty()) continue;
    rows.push_back(json::object(
        {{"collective", json::text(collective.name)}, {"algorithms", json::array(left)}}));
  }
  return json::array(rows);
}

std::string describe(const AlgorithmSet& set) {
  return json::object({{"name", json::text(set.name)},
                       {"text", json::text(set.text)},
                       {"formerly", json::texts(set.formerly)},
                       {"left_out", left_out(set)},
                       {"algorithms", json_rows(names_of(members(set)), [](std::string_view name) {
                          return json::text(name);
                        })}});
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

std::string describe(const algorithms::Parameter& parameter) {
  return json::object({{"name", json::text(parameter.name)},
                       {"text", json::text(parameter.summary)},
                       {"default", json::text(to_text(parameter.default_value))},
                       {"kind", json::text(kind_of(parameter))}});
}

/// Of a formula; empty if there is none.
std::string_view text_of(const std::optional<algorithms::Formula>& formula) {
  return formula ? formula->text : std::string_view();
}

std::string describe(const Algorithm& algorithm) {
  std::vector<std::string> collectives;
  for (const collectives::Collective& one : collectives::all_collectives()) {
    if (computes(algorithm, one)) collectives.push_back(json::text(one.name));
  }
  return json::object(
      {{"name", json::text(algorithm.name)},
       {"title", json::text(title_of(algorithm.name, algorithm.title))},
       {"summary", json::text(algorithm.summary)},
       {"source", json::text(algorithm.source)},
       {"default_of", json::text(algorithm.default_of)},
       {"needs", json::text(needs_text(algorithm))},
       {"steps", json::text(text_of(algorithm.steps))},
       {"messages", json::text(text_of(algorithm.messages))},
       {"bytes", json::text(text_of(algorithm.bytes))},
       {"collectives", json::array(collectives)},
       {"step_growth", json::text(growth_text(algorithm.growth))},
       {"node_aware", json::boolean(algorithm.uses_nodes)},
       {"arrival_aware", json::boolean(algorithm.uses_arrivals)},
       {"has_schedule", json::boolean(algorithm.schedule != nullptr)},
       {"takes_order", json::boolean(takes_order(algorithm))},
       {"parameters", json_rows(algorithm.parameters,
                                [](const algorithms::Parameter& one) { return describe(one); })}});
}

std::string describe(const algorithms::NamedOrder& order) {
  return json::object({{"name", json::text(order.name)}, {"text", json::text(order.summary)}});
}

std::string describe(const distributions::NamedDistribution& distribution) {
  return json::object({{"name", json::text(distribution.name)},
                       {"title", json::text(title_of(distribution.name, distribution.title))},
                       {"text", json::text(distribution.summary)},
                       {"total", json::text(distribution.total)}});
}

std::string describe(const formats::MappingWord& mapping) {
  return json::object({{"name", json::text(mapping.name)},
                       {"title", json::text(title_of(mapping.name, {}))},
                       {"text", json::text(mapping.text)},
                       {"selectable", json::boolean(mapping.selectable)}});
}

std::string describe(const arrivals::ArrivalParameter& parameter) {
  return json::object({{"name", json::text(parameter.name)},
                       {"kind", json::text(kind_of(parameter))},
                       {"default", parameter.default_value ? json::number(*parameter.default_value)
                                                           : std::string(json::null)}});
}

std::string describe(const arrivals::NamedArrival& pattern) {
  return json::object(
      {{"name", json::text(pattern.name)},
       {"text", json::text(pattern.summary)},
       {"steady", json::boolean(pattern.steady)},
       {"size_meaning", json::text(pattern.size_meaning)},
       {"parameters", json_rows(pattern.parameters, [](const arrivals::ArrivalParameter& one) {
          return describe(one);
        })}});
}

std::string describe(const formats::Column& column) {
  return json::object({{"name", json::text(column.name)},
                       {"unit", json::text(column.unit)},
                       {"type", json::text(type_name(column))},
                       {"text", json::text(column.text)},
                       {"role", json::text(name_of(column.role))},
                       {"filled", json::text(name_of(column.filled))},
                       {"when_absent", json::text(column.when_absent)}});
}

std::string columns_json(formats::File file) {
  return json_rows(formats::columns_of(file),
                   [](const formats::Column* column) { return describe(*column); });
}

std::string describe(const formats::StatusWord& status) {
  return json::object({{"name", json::text(status.name)},
                       {"text", json::text(status.text)},
                       {"timed", json::boolean(status.timed)}});
}

std::string describe(const formats::MetadataKey& key) {
  std::vector<std::string> purposes;
  for (const std::string_view name : names_of(key.must_agree_to)) {
    purposes.push_back(json::text(name));
  }
  return json::object({{"key", json::text(key.key)},
                       {"text", json::text(key.text)},
                       {"prefix", json::boolean(key.is_prefix)},
                       {"must_agree_to", json::array(purposes)},
                       {"formerly", json::texts(key.formerly)},
                       {"when_absent", json::text(key.when_absent)}});
}

/// A heading, and a line a row with its name in a column.
using Lines = std::vector<std::pair<std::string, std::string>>;
std::string section(std::string_view heading, const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  std::string section = fmt::format("{}\n", heading);
  for (const auto& [name, text] : lines) {
    section += fmt::format("  {:<{}}  {}\n", name, width, text);
  }
  return section;
}

template <typename Rows, typename Text>
Lines lines_of(const Rows& rows, Text text_of) {
  Lines lines;
  for (const auto& row : rows) lines.emplace_back(row.name, text_of(row));
  return lines;
}

}  // namespace

std::string catalogue_json() {
  const auto rows = [](const auto& table) {
    return json_rows(table, [](const auto& row) { return describe(row); });
  };
  return json::object({
             {"suite", json::text(fmt::format("gatherbench {}", release))},
             {"collectives", rows(collectives::all_collectives())},
             {"algorithm_sets", rows(algorithms::algorithm_sets())},
             {"algorithms", rows(algorithms::all_algorithms())},
             {"orders", rows(algorithms::named_orders())},
             {"distributions", rows(distributions::named_distributions())},
             {"mappings", rows(formats::mappings)},
             {"arrival_patterns", rows(arrivals::named_arrivals())},
             {"columns", columns_json(formats::File::results)},
             {"rank_columns", columns_json(formats::File::ranks)},
             {"step_columns", columns_json(formats::File::steps)},
             {"counter_columns", columns_json(formats::File::counters)},
             {"statuses", rows(formats::statuses())},
             {"metadata", rows(formats::metadata_keys())},
         }) +
         "\n";
}

std::string catalogue_names(std::string_view option, std::string_view kind) {
  using Names = std::vector<std::string_view>;
  struct Kind {
    std::string_view name;
    Names (*names)();
  };
  static constexpr std::array kinds{
      Kind{"algorithms", [] { return algorithms::legal_algorithm_names(nullptr); }},
      Kind{"orders",
           [] {
             Names names;
             for (const auto& row : algorithms::named_orders()) names.push_back(row.name);
             return names;
           }},
      Kind{"distributions",
           [] {
             Names names{"all"};
             for (const auto& row : distributions::named_distributions()) names.push_back(row.name);
             return names;
           }},
      Kind{"arrival",
           [] {
             Names names;
             for (const auto& row : arrivals::named_arrivals()) names.push_back(row.name);
             return names;
           }},
      Kind{"output", [] { return formats::result_endings(); }},
  };
  const auto* const found = std::ranges::find(kinds, kind, &Kind::name);
  if (found == kinds.end()) {
    Names legal;
    for (const Kind& each : kinds) legal.push_back(each.name);
    throw text::unknown_name(option, "kind of names", kind, legal);
  }
  return fmt::format("{}\n", fmt::join(found->names(), "\n"));
}

std::string catalogue_text() {
  std::string text = section("Collectives", lines_of(collectives::all_collectives(),
                                                     [](const collectives::Collective& one) {
                                                       return std::string(one.executable);
                                                     }));
  text += '\n' + section("Sets of algorithms",
                         lines_of(algorithms::algorithm_sets(),
                                  [](const AlgorithmSet& set) { return std::string(set.text); }));
  Lines lines;
  for (const Algorithm& one : algorithms::all_algorithms()) {
    const bool gathers = one.kind == nullptr || one.kind == &collectives::allgather;
    const std::string of = gathers ? "" : fmt::format("{}: ", one.kind->name);
    lines.emplace_back(one.name, fmt::format("{}{} [{}]", of, one.summary, one.source));
    for (std::string& parameter : algorithms::parameter_texts(one)) {
      lines.emplace_back("", std::move(parameter));
    }
  }
  text += '\n' + section("Algorithms", lines);
  text +=
      '\n' + section("Orders of the ranks, NAME@ORDER, for algorithms that find none themselves",
                     lines_of(algorithms::named_orders(), [](const algorithms::NamedOrder& one) {
                       return std::string(one.summary);
                     }));
  text += '\n' + section("Distributions, c = the size that is swept, i = the rank",
                         lines_of(distributions::named_distributions(),
                                  [](const distributions::NamedDistribution& one) {
                                    return std::string(one.summary);
                                  }));
  text += "\nArrival patterns\n";
  for (const std::string& line : arrivals::arrival_descriptions()) text += "  " + line + '\n';
  return text;
}

}  // namespace gatherbench::allgather_schedule
