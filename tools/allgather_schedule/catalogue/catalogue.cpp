// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/catalogue/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "algorithms/choice/algorithm_sets.h"
#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/pattern_table.h"
#include "distributions/block_sizes.h"
#include "formats/text/input_error.h"

namespace gatherbench::allgather_schedule {
namespace {

using algorithms::Algorithm;
using algorithms::AlgorithmSet;

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
    const bool gathers = one.kind == nullptr || one.kind->gathers();
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
