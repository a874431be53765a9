// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/dry_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "formats/text/parse.h"

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

/// Labels of a setup's distributions, arrival patterns, ...
template <typename Labelled>
std::vector<std::string_view> labels_of(const std::vector<Labelled>& several) {
  std::vector<std::string_view> labels;
  for (const Labelled& each : several) labels.push_back(each.label);
  return labels;
}

/// Describes what is there only if it was asked for.
std::string describe_asked(const Setup& setup) {
  const Options& options = setup.options;
  std::string text;
  if (!options.congest.empty()) text += fmt::format("congested by  {}\n", options.congest);
  if (options.groups.by != Grouping::By::none) {
    text += fmt::format("groups        {}\n", describe_groups(setup));
  }
  if (setup.replay) text += fmt::format("replay        {}\n", setup.replay->label);
  if (options.datatype) text += fmt::format("datatype      {}\n", options.datatype->text);
  if (options.displacements) {
    text += fmt::format("displacements {}\n", options.displacements->text());
  }
  return text;
}

}  // namespace

std::string describe_dry_run(const Setup& setup) {
  std::vector<std::string> running;
  std::string skipped;
  for (const Contender& contender : setup.contenders) {
    if (!contender.why_not) {
      running.push_back(contender.label);
    } else {
      skipped += fmt::format("skipped       {}: {}\n", contender.label, *contender.why_not);
    }
  }
  std::size_t cases = 0;
  std::vector<std::string_view> orders;
  for (const MappedCases& part : setup.parts) {
    cases += part.cases.size();
    orders.push_back(part.order.label);
  }
  std::string text;
  text += fmt::format("launches      1, of {} ranks on {} node{} ({})\n",
                      setup.nodes.of_rank.size(), setup.nodes.count(),
                      setup.nodes.count() == 1 ? "" : "s", fmt::join(setup.nodes.hosts, ", "));
  text += fmt::format("cases         {}\n", cases);
  text += fmt::format("mappings      {}\n", fmt::join(orders, ", "));
  text += fmt::format("distributions {}\n", fmt::join(labels_of(setup.distributions), ", "));
  text += fmt::format("arrivals      {}\n", fmt::join(labels_of(setup.arrivals), " "));
  text += describe_asked(setup);
  text += fmt::format("sizes         {}\n", fmt::join(setup.options.sizes, ", "));
  text += fmt::format("algorithms    {}\n{}", fmt::join(running, ", "), skipped);
  text += fmt::format("memory        {} a rank, {} a node at most; {} a rank allowed\n",
                      text::human_bytes(setup.memory.bytes_of_rank()),
                      text::human_bytes(setup.memory.bytes_of_node()),
                      text::human_bytes(setup.memory.allowed));
  for (const std::string& note : setup.notes) text += fmt::format("note          {}\n", note);
  return text;
}

}  // namespace gatherbench::bench
