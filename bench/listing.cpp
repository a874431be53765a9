// SPDX-License-Identifier: BSD-3-Clause
#include "bench/listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "bench/native/native_choice.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/block_sizes.h"
#include "formats/text/parse.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/policy.h"

namespace gatherbench::bench {
namespace {

using Algorithms = std::vector<const algorithms::Algorithm*>;

/// Returns the further ways to ask for an algorithm, and where it cannot run.
std::string variants_of(const algorithms::Algorithm& algorithm,
                        const collectives::Collective& collective) {
  std::string text;
  for (const std::string& parameter : algorithms::parameter_texts(algorithm)) {
    text += fmt::format("    {}\n", parameter);
  }
  if (runs_ahead(algorithm) && !mpi::rank_model().why_no_threads.empty()) {
    text += fmt::format("    not here: {}\n", mpi::rank_model().why_no_threads);
  }
  if (algorithm.is<algorithms::Selects>()) {
    for (const policies::PolicyKind& kind : policies::policy_kinds()) {
      text += fmt::format("  {}:policy={}{}  {}\n", algorithm.name, kind.name, kind.parameters,
                          kind.summary);
    }
  }
  if (!algorithm.calls(algorithms::LibraryCall::native)) return text;
  if (!mpi::why_no_control_variables().empty()) {
    text +=
        fmt::format("    {}:NAME not here: {}\n", algorithm.name, mpi::why_no_control_variables());
  }
  const NativeVariants variants = find_native_variants(collective);
  for (const std::string& variant : variants.names) {
    text += fmt::format("  {}:{}{}\n", algorithm.name, variant,
                        variants.one_a_launch ? "  (one a launch)" : "");
  }
  return text;
}

std::string list_algorithms(const Algorithms& listed, const collectives::Collective& collective) {
  std::string text = "Algorithms (--algorithms)\n";
  std::size_t widest = 0;
  std::size_t widest_needs = 0;
  for (const algorithms::Algorithm* const one : listed) {
    widest = std::max(widest, one->name.size());
    widest_needs = std::max(widest_needs, algorithms::needs_text(*one).size());
  }
  const auto row = [&](std::string_view name, std::string_view needs, std::string_view steps,
                       std::string_view summary) {
    text += fmt::format("  {:<{}}  {:<{}}  {:<26}  {}\n", name, widest, needs, widest_needs, steps,
                        summary);
  };
  row("name", "needs", "steps", "what it does [source]");
  for (const algorithms::Algorithm* const one : listed) {
    row(one->name, algorithms::needs_text(*one), one->steps ? one->steps->text : "",
        fmt::format("{} [{}]", one->summary, one->source));
    text += variants_of(*one, collective);
  }
  text += fmt::format("   any of ours also takes NAME:{}\n", algorithms::message_form_text);
  if (!mpi::NodeWindow::why_none().empty()) {
    text += fmt::format("    via=window not here: {}\n", mpi::NodeWindow::why_none());
  }
  return text;
}

std::string list_orders(const Algorithms& listed) {
  const auto is_ordered = [](const algorithms::Algorithm* one) { return takes_order(*one); };
  if (std::ranges::none_of(listed, is_ordered)) return {};
  std::string text = "\nOrders of the ranks (NAME@ORDER: position k does what rank k does else)\n";
  for (const algorithms::NamedOrder& order : algorithms::named_orders()) {
    text += fmt::format("  {:<11} {}\n", order.name, order.summary);
  }
  return text;
}

std::string list_distributions() {
  std::string text =
      "\nDistributions (--distributions), c = the size that is swept, i = the rank\n";
  for (const distributions::NamedDistribution& distribution :
       distributions::named_distributions()) {
    text += fmt::format("  {:<11} {:<28} total {}\n", distribution.name, distribution.summary,
                        distribution.total);
  }
  return text +
         fmt::format("  {:<11} {:<28} total their sum\n", "file:PATH", "its line i: 4096, or 0.5c");
}

}  // namespace

std::string make_listing(const collectives::Collective& collective) {
  const Algorithms listed = algorithms::algorithms_of(&collective);
  std::string text = list_algorithms(listed, collective) + list_orders(listed);
  text += "\nArrival patterns (--arrival)\n";
  for (const std::string& description : arrivals::arrival_descriptions()) {
    text += "  " + description + '\n';
  }
  if (collective.unequal_blocks) text += list_distributions();
  return text;
}

namespace {

/// Describes the groups of each order of the ranks: "2 by mod:2, of 4 ranks".
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

/// Returns the labels of a setup's distributions, arrival patterns, ...
template <typename Labelled>
std::vector<std::string_view> labels_of(const std::vector<Labelled>& several) {
  std::vector<std::string_view> labels;
  for (const Labelled& each : several) labels.push_back(each.label);
  return labels;
}

/// Describes what a setup has only if it was asked for.
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
