// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "analysis/cost.h"
#include "inspect/commands.h"
#include "text/csv_cell.h"
#include "text/former_names.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::inspect {
namespace {

constexpr int max_ranks = 1 << 15;
constexpr std::string_view models[] = {"hockney:alpha=,beta=", "hop-bytes", "links"};
constexpr std::array former_options{text::FormerName{"--machines", "--nodes"},
                                    text::FormerName{"--cores", "--ranks-per-node"}};
constexpr std::string_view mappings[] = {"sequential", "cyclic"};

struct Options {
  std::string algorithms;
  std::string ranks;
  std::string bytes = "1";
  std::string model;
  std::string nodes;
  std::string mapping;
  PlacementOptions placement;
};

/// Nodes in a row, as hop-bytes has them.
struct Nodes {
  int nodes;
  int ranks_per_node;
  std::string_view mapping;

  [[nodiscard]] std::vector<int> of_ranks(int ranks) const {
    std::vector<int> node;
    for (int rank = 0; rank < ranks; ++rank) {
      node.push_back(mapping == "cyclic" ? rank % nodes : rank / ranks_per_node);
    }
    return node;
  }
};

/// Where some ranks run, as the model wants it.
struct Setting {
  int ranks;
  std::optional<Nodes> nodes;
  algorithms::Placement placement;
};

analysis::Hockney parse_hockney(std::string_view text) {
  analysis::Hockney model{-1, -1};  // not given
  for (const std::string_view part : text::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    if ((key != "alpha" && key != "beta") || equals == std::string_view::npos) {
      throw text::bad_value("--model hockney", part,
                            "is neither alpha=SECONDS nor beta=SECONDS_A_BYTE");
    }
    double& value = key == "alpha" ? model.alpha : model.beta;
    if (value >= 0) {
      throw text::bad_value("--model hockney", part, fmt::format("gives {} twice", key));
    }
    value = text::parse_number(fmt::format("--model hockney:{}", key), part.substr(equals + 1));
  }
  if (model.alpha < 0 || model.beta < 0) {
    throw text::bad_value("--model hockney", text,
                          "lacks alpha= or beta= (write alpha=1e-6,beta=1e-9)");
  }
  return model;
}

/// The numbers of ranks on these nodes: those of --ranks, or as many as there is room for.
std::vector<int> rank_counts(const Options& options, int nodes, int ranks_per_node) {
  const std::int64_t slots = std::int64_t{nodes} * ranks_per_node;
  if (options.ranks.empty()) {
    if (slots <= max_ranks) return {static_cast<int>(slots)};
    throw text::bad_value(
        "--nodes", fmt::to_string(nodes),
        fmt::format("with {} ranks each are more than {} ranks", ranks_per_node, max_ranks));
  }
  std::vector<int> counts = text::parse_ranks("--ranks", options.ranks, max_ranks);
  for (const int ranks : counts) {
    if (ranks > slots) {
      throw text::bad_value(
          "--ranks", fmt::to_string(ranks),
          fmt::format("are more than {} nodes with {} ranks each hold", nodes, ranks_per_node));
    }
  }
  return counts;
}

std::vector<std::string_view> parse_mappings(const Options& options) {
  if (options.mapping.empty()) return {mappings[0]};
  std::vector<std::string_view> chosen = text::split(options.mapping, ',');
  for (const std::string_view mapping : chosen) {
    if (mapping != mappings[0] && mapping != mappings[1]) {
      throw text::unknown_name("--mapping", "mapping", mapping, mappings);
    }
  }
  return chosen;
}

std::vector<Setting> node_settings(const Options& options) {
  const std::string& per_node = options.placement.ranks_per_node;
  if (options.nodes.empty() || per_node.empty()) {
    throw text::InputError("--model: 'hop-bytes' needs --nodes and --ranks-per-node");
  }
  const std::vector<std::string_view> chosen_mappings = parse_mappings(options);
  std::vector<Setting> settings;
  for (const int nodes : text::parse_ranks("--nodes", options.nodes, max_ranks)) {
    for (const int on_node : text::parse_ranks("--ranks-per-node", per_node, max_ranks)) {
      for (const std::string_view mapping : chosen_mappings) {
        const Nodes where{nodes, on_node, mapping};
        for (const int ranks : rank_counts(options, nodes, on_node)) {
          settings.push_back({ranks, where, {where.of_ranks(ranks), nullptr, {}}});
        }
      }
    }
  }
  return settings;
}

std::vector<Setting> rank_settings(const Options& options) {
  if (options.ranks.empty()) throw text::InputError("--ranks: is needed for this --model");
  const auto tree = options.placement.read_tree();
  std::vector<Setting> settings;
  for (const int ranks : text::parse_ranks("--ranks", options.ranks, max_ranks)) {
    settings.push_back({ranks, std::nullopt, options.placement.place(ranks, tree)});
  }
  return settings;
}

/// An option of another model would have no effect.
void require_options_of_model(const Options& options, bool hops) {
  const auto refuse = [&](std::string_view option, const std::string& text, bool for_hops) {
    if (text.empty() || for_hops == hops) return;
    throw text::bad_value(option, text,
                          for_hops ? "is for --model hop-bytes alone"
                                   : "is not for --model hop-bytes, which has nodes in a row");
  };
  refuse("--nodes", options.nodes, true);
  refuse("--mapping", options.mapping, true);
  refuse("--topology", options.placement.topology, false);
}

/// The cost at any block size, from one summation where the schedule does not depend on the size.
class Pricer {
 public:
  Pricer(const algorithms::Choice& choice, const Setting& setting,
         const std::optional<analysis::Hockney>& hockney, bool links)
      : choice_(choice), setting_(setting), hockney_(hockney), links_(links) {}

  double at(std::int64_t bytes) {
    const bool cuts = std::holds_alternative<algorithms::Bytes>(choice_.parameter);
    if (cuts) sum({static_cast<std::size_t>(setting_.ranks), bytes});
    if (!cuts && !summed_) sum({});
    const double scale = cuts ? 1.0 : static_cast<double>(bytes);
    return hockney_ ? analysis::hockney_seconds(uses_, *hockney_, scale) * 1e6
                    : static_cast<double>(bytes_) * scale;
  }

 private:
  struct Blocks {
    std::size_t number = 0;
    std::int64_t bytes = 0;
  };
  void sum(Blocks blocks) {
    const std::vector<std::int64_t> block_bytes(blocks.number, blocks.bytes);
    algorithms::Problem problem =
        setting_.placement.place(algorithms::problem_for(choice_, setting_.ranks));
    problem.block_bytes = block_bytes;
    summed_ = true;
    if (hockney_) {
      uses_ = analysis::port_uses(*choice_.algorithm, problem);
    } else if (links_) {
      bytes_ = analysis::most_loaded_link_bytes(*choice_.algorithm, problem);
    } else {
      bytes_ = analysis::hop_bytes(*choice_.algorithm, problem, setting_.placement.node);
    }
  }

  const algorithms::Choice& choice_;
  const Setting& setting_;
  const std::optional<analysis::Hockney>& hockney_;
  bool links_;
  bool summed_ = false;
  std::vector<analysis::PortUse> uses_;
  std::int64_t bytes_ = 0;
};

int run(const Options& options) {
  const std::string_view model = std::string_view(options.model).substr(0, options.model.find(':'));
  const bool links = model == "links";
  const bool hops = model == "hop-bytes";
  std::optional<analysis::Hockney> hockney;
  if (model == "hockney") {
    hockney = parse_hockney(
        std::string_view(options.model).substr(std::min(model.size() + 1, options.model.size())));
  } else if (options.model != "links" && options.model != "hop-bytes") {
    throw text::unknown_name("--model", "model", options.model, models);
  }
  if (links && options.placement.topology.empty()) {
    throw text::InputError("--model: 'links' needs --topology FILE");
  }
  require_options_of_model(options, hops);
  const auto choices = schedule_choices("--algorithms", options.algorithms);
  const std::vector<std::int64_t> sizes = text::parse_bytes_list("--bytes", options.bytes);
  const std::vector<Setting> settings = hops ? node_settings(options) : rank_settings(options);
  const std::string_view unit = hockney ? "us" : hops ? "byte-hops" : "bytes";

  // Their order gives each algorithm its colour in figures.
  fmt::print("#@registry={}\n", fmt::join(algorithms::algorithm_names(), ","));
  fmt::print("model,algorithm,ranks,machines,cores,mapping,bytes,cost,unit,status,reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const Setting& setting : settings) {
      const std::string where =
          setting.nodes ? fmt::format("{},{},{}", setting.nodes->nodes,
                                      setting.nodes->ranks_per_node, setting.nodes->mapping)
                        : ",,";
      Pricer pricer(choice, setting, hockney, links);
      for (const std::int64_t bytes : sizes) {
        const std::vector<std::int64_t> blocks(static_cast<std::size_t>(setting.ranks), bytes);
        algorithms::Problem problem =
            setting.placement.place(algorithms::problem_for(choice, setting.ranks));
        problem.block_bytes = blocks;
        const std::string reason = reason_unusable(choice, problem);
        const std::string cost = reason.empty() ? fmt::format("{:.12g}", pricer.at(bytes)) : "";
        fmt::print("{},{},{},{},{},{},{},{},{}\n", model, text::csv_cell(choice.label()),
                   setting.ranks, where, bytes, cost, unit, reason.empty() ? "ok" : "skipped",
                   text::csv_cell(reason));
      }
    }
  }
  return 0;
}

}  // namespace

Command add_cost_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("cost", "Price algorithms by a model, as CSV");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("--algorithm,--algorithms", options->algorithms,
                   "Names and sets: all, loch2021, ...")
      ->required();
  command->add_option("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8")->check(require_text);
  command->add_option("--bytes", options->bytes, "Sizes of a block: 1K,64K")->capture_default_str();
  command
      ->add_option(
          "--model", options->model,
          "hockney:alpha=SECONDS,beta=SECONDS_A_BYTE (time of the busiest rank); hop-bytes "
          "(bytes times distance of nodes); links (bytes over the most loaded link)")
      ->required();
  command->add_option("--nodes", options->nodes, "For hop-bytes: numbers of nodes, 1:64");
  command
      ->add_option("--mapping", options->mapping,
                   "For hop-bytes: sequential, cyclic, or both [sequential]")
      ->check(require_text);
  options->placement.add_to(*command);
  command->get_option("--ranks-per-node")
      ->description("Ranks 0 to N-1 are on one node, and so on; for hop-bytes a list: 4,8,16");
  text::accept_former_options(*command, former_options);
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench::inspect
