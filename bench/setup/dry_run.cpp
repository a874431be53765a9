// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/dry_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "text/parse.h"

namespace gatherbench::bench {
namespace {

/// "2 of mod:2, of 4 ranks": of each order of the ranks.
std::string describe_groups(const Setup& setup) {
  std::string text;
  for (const MappedCases& part : setup.parts) {
    const auto [least, most] = std::ranges::minmax_element(part.groups, {}, &Group::size);
    const std::string ranks = least->size() == most->size()
                                  ? fmt::to_string(most->size())
                                  : fmt::format("{} to {}", least->size(), most->size());
    text += fmt::format("{}{} by {}, of {} ranks", text.empty() ? "" : "; ", part.groups.size(),
                        setup.options.groups.label, ranks);
  }
  return text;
}

}  // namespace

std::string describe_dry_run(const Setup& setup) {
  std::vector<std::string> running;
  std::string skipped;
  for (const Contender& contender : setup.contenders) {
    if (contender.reason_unusable.empty()) {
      running.push_back(contender.label);
    } else {
      skipped += fmt::format("skipped       {}: {}\n", contender.label, contender.reason_unusable);
    }
  }
  std::size_t cases = 0;
  std::vector<std::string_view> orders;
  for (const MappedCases& part : setup.parts) {
    cases += part.cases.size();
    orders.push_back(part.order.label);
  }
  std::vector<std::string_view> distributions;
  for (const distributions::Distribution& distribution : setup.distributions) {
    distributions.push_back(distribution.label);
  }
  std::vector<std::string_view> arrivals;
  for (const arrivals::ArrivalPattern& pattern : setup.arrivals) arrivals.push_back(pattern.label);
  const int max_on_node = *std::ranges::max_element(setup.nodes.ranks_on);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "launches      1, of {} ranks on {} node{} ({})\n",
                 setup.nodes.of_rank.size(), setup.nodes.count(),
                 setup.nodes.count() == 1 ? "" : "s", fmt::join(setup.nodes.hosts, ", "));
  fmt::format_to(out, "cases         {}\n", cases);
  fmt::format_to(out, "mappings      {}\n", fmt::join(orders, ", "));
  fmt::format_to(out, "distributions {}\n", fmt::join(distributions, ", "));
  fmt::format_to(out, "arrivals      {}\n", fmt::join(arrivals, " "));
  if (!setup.options.congest.empty()) {
    fmt::format_to(out, "congested by  {}\n", setup.options.congest);
  }
  if (setup.options.groups.by != Grouping::By::none) {
    fmt::format_to(out, "groups        {}\n", describe_groups(setup));
  }
  if (setup.replay) fmt::format_to(out, "replay        {}\n", setup.replay->label);
  if (setup.options.datatype) {
    fmt::format_to(out, "datatype      {}\n", setup.options.datatype->text);
  }
  if (setup.options.displacements) {
    fmt::format_to(out, "displacements {}\n", setup.options.displacements->text());
  }
  fmt::format_to(out, "sizes         {}\n", fmt::join(setup.options.sizes, ", "));
  fmt::format_to(out, "algorithms    {}\n{}", fmt::join(running, ", "), skipped);
  fmt::format_to(out, "memory        {} a rank, {} a node at most; {} a rank allowed\n",
                 text::human_bytes(setup.max_memory.total()),
                 text::human_bytes(setup.max_memory.total() * max_on_node),
                 text::human_bytes(setup.memory_allowed));
  for (const std::string& note : setup.notes) text += fmt::format("note          {}\n", note);
  return text;
}

}  // namespace gatherbench::bench
