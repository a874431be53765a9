// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/cost_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "analysis/cost.h"
#include "text/csv_cell.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::inspect {
namespace {

constexpr int most_ranks = 1 << 15;
constexpr std::string_view models[] = {"hockney:alpha=,beta=", "hop-bytes", "links"};
constexpr std::string_view mappings[] = {"sequential", "cyclic"};

struct Options {
  std::string algorithms;
  std::string ranks;
  std::string bytes = "1";
  std::string model;
  std::string machines;
  std::string cores;
  std::string mapping;
  PlacementOptions placement;
};

/// Ranks on machines, as hop-bytes has them.
struct Machines {
  int machines;
  int cores;
  std::string_view mapping;

  [[nodiscard]] std::vector<int> of_ranks(int ranks) const {
    std::vector<int> machine;
    for (int rank = 0; rank < ranks; ++rank) {
      machine.push_back(mapping == "cyclic" ? rank % machines : rank / cores);
    }
    return machine;
  }
};

/// Where some ranks run, as the model wants it.
struct Setting {
  int ranks;
  std::optional<Machines> machines;
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
    if (value >= 0)
      throw text::bad_value("--model hockney", part, fmt::format("gives {} twice", key));
    value = text::parse_number(fmt::format("--model hockney:{}", key), part.substr(equals + 1));
  }
  if (model.alpha < 0 || model.beta < 0) {
    throw text::bad_value("--model hockney", text,
                          "lacks alpha= or beta= (write alpha=1e-6,beta=1e-9)");
  }
  return model;
}

std::vector<Setting> machine_settings(const Options& options) {
  if (options.machines.empty() || options.cores.empty()) {
    throw text::InputError("--model: 'hop-bytes' needs --machines and --cores");
  }
  std::vector<Setting> settings;
  for (const int machines : text::parse_ranks("--machines", options.machines, most_ranks)) {
    for (const int cores : text::parse_ranks("--cores", options.cores, most_ranks)) {
      for (const std::string_view mapping :
           text::split(options.mapping.empty() ? mappings[0] : options.mapping, ',')) {
        if (mapping != mappings[0] && mapping != mappings[1]) {
          throw text::unknown_name("--mapping", "mapping", mapping, mappings);
        }
        const std::int64_t slots = std::int64_t{machines} * cores;
        std::vector<int> counts;
        if (!options.ranks.empty())
          counts = text::parse_ranks("--ranks", options.ranks, most_ranks);
        if (counts.empty() && slots <= most_ranks) counts.push_back(static_cast<int>(slots));
        if (counts.empty()) {
          throw text::bad_value(
              "--machines", fmt::to_string(machines),
              fmt::format("of {} cores are more than {} ranks", cores, most_ranks));
        }
        for (const int ranks : counts) {
          if (ranks > slots) {
            throw text::bad_value(
                "--ranks", fmt::to_string(ranks),
                fmt::format("are more than {} machines of {} cores hold", machines, cores));
          }
          const Machines where{machines, cores, mapping};
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
  for (const int ranks : text::parse_ranks("--ranks", options.ranks, most_ranks)) {
    settings.push_back({ranks, std::nullopt, options.placement.place(ranks, tree)});
  }
  return settings;
}

/// An option of another model would have no effect.
void require_options_of_model(const Options& options, bool hops) {
  const PlacementOptions& placement = options.placement;
  const auto refuse = [&](std::string_view option, const std::string& text, bool for_hops) {
    if (text.empty() || for_hops == hops) return;
    throw text::bad_value(option, text,
                          for_hops
                              ? "is for --model hop-bytes alone"
                              : "is not for --model hop-bytes, which has --machines and --cores");
  };
  refuse("--machines", options.machines, true);
  refuse("--cores", options.cores, true);
  refuse("--mapping", options.mapping, true);
  refuse("--topology", placement.topology, false);
  refuse("--ranks-per-node", placement.ranks_per_node, false);
}

/// The cost at any block size, from one summation where the schedule does not depend on the size.
class Pricer {
 public:
  Pricer(const algorithms::Choice& choice, const Setting& setting,
         const std::optional<analysis::Hockney>& hockney, bool links)
      : choice_(choice), setting_(setting), hockney_(hockney), links_(links) {}

  double at(std::int64_t bytes) {
    const algorithms::Parameter* const parameter = choice_.algorithm->parameter;
    const bool cuts = parameter != nullptr && parameter->kind == algorithms::ParameterKind::bytes;
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
  const std::vector<Setting> settings = hops ? machine_settings(options) : rank_settings(options);
  const std::string_view unit = hockney ? "us" : hops ? "byte-hops" : "bytes";

  // Their order gives each algorithm its colour in figures.
  fmt::print("#@registry={}\n", fmt::join(algorithms::algorithm_names(), ","));
  fmt::print("model,algorithm,ranks,machines,cores,mapping,bytes,cost,unit,status,reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const Setting& setting : settings) {
      const std::string where =
          setting.machines ? fmt::format("{},{},{}", setting.machines->machines,
                                         setting.machines->cores, setting.machines->mapping)
                           : ",,";
      Pricer pricer(choice, setting, hockney, links);
      for (const std::int64_t bytes : sizes) {
        const std::vector<std::int64_t> blocks(static_cast<std::size_t>(setting.ranks), bytes);
        algorithms::Problem problem =
            setting.placement.place(algorithms::problem_for(choice, setting.ranks));
        problem.block_bytes = blocks;
        const std::string reason = why_not(choice, problem);
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
  command->add_option("--algorithm,--algorithms", options->algorithms, "Names, all, thesis")
      ->required();
  command->add_option("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8")->check(require_text);
  command->add_option("--bytes", options->bytes, "Sizes of a block: 1K,64K")->capture_default_str();
  command
      ->add_option(
          "--model", options->model,
          "hockney:alpha=SECONDS,beta=SECONDS_A_BYTE (time of the busiest rank); hop-bytes "
          "(bytes times distance of machines); links (bytes over the most loaded link)")
      ->required();
  command->add_option("--machines", options->machines, "For hop-bytes: numbers of machines, 1:64");
  command->add_option("--cores", options->cores, "For hop-bytes: cores of each, 4,8,16");
  command
      ->add_option("--mapping", options->mapping,
                   "For hop-bytes: sequential, cyclic, or both [sequential]")
      ->check(require_text);
  options->placement.add_to(*command);
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench::inspect
