// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "algorithms/cost/contention_model.h"
#include "algorithms/cost/cost.h"
#include "algorithms/cost/hockney.h"
#include "algorithms/cost/shared_links.h"
#include "distributions/block_sizes.h"
#include "formats/checksum.h"
#include "formats/gzip.h"
#include "formats/text/csv_cell.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/nodes.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr int max_ranks = 1 << 15;
constexpr int max_ranks_contention = 2048;  // all schedules are in memory, and grow with p^2
constexpr std::int64_t max_blocks = std::int64_t{1} << 22;
constexpr std::string_view models[] = {"hockney:alpha=,beta=,tau=", "file:RESULT.csv",
                                       "contention:alpha=,bandwidth=,further=", "hop-bytes",
                                       "links"};
constexpr std::string_view regular = "regular";  // of the distributions
struct Options {
  AlgorithmOptions algorithms;
  std::string ranks;
  std::string bytes = "1";
  std::string distributions = "regular";
  std::string model;
  NodeOptions nodes;
  PlacementOptions placement;
  RootOption root;
};

/// As --model says; of the last two one is true where there are no parameters.
struct Model {
  std::string_view name;
  std::string_view unit;
  std::optional<cost::Hockney> hockney = {};
  std::optional<cost::ContentionModel> contention = {};
  bool is_links = false;
  bool is_hops = false;

  [[nodiscard]] bool needs_network() const { return contention || is_links; }
};

/// Where some ranks run, as the model wants it.
struct Setting {
  int ranks;
  std::optional<RanksOnNodes> nodes;  ///< in a row, as hop-bytes has them
  algorithms::Placement placement;
};

/// The model that a result file has. Throws InputError.
cost::Hockney model_of_file(const std::string& path) {
  const std::string option = "--model file";
  std::string text = text::read_file(option, path);
  if (formats::is_gzip(path)) {
    if (const std::string_view why = formats::why_no_gzip(); !why.empty()) {
      throw text::bad_value(option, path, fmt::format("cannot be read: {}", why));
    }
    std::string first;  // the member with the metadata
    if (!formats::read_gzip_member(text, first)) throw text::bad_value(option, path, "is damaged");
    text = first;
  }
  const std::string key = fmt::format("#@model={}", cost::hockney_prefix);
  formats::ChecksumCheck check(option, path);
  std::optional<std::string_view> model;
  bool has_columns = false;
  for (const std::string_view whole_line : text::split(text, '\n')) {
    const std::string_view line = check.take(whole_line);
    if (has_columns) break;  // this was the line with the checksum, if there is one
    if (line.starts_with(key)) model = line.substr(key.size());
    has_columns = !line.starts_with('#');
  }
  if (!model) {
    throw text::bad_value(option, path,
                          "says no model; legal: a result file of a launch with --measure-model");
  }
  return cost::parse_hockney(option, *model);
}

/// Of "hockney:..." and "file:..."; none for the other models.
std::optional<cost::Hockney> find_hockney(std::string_view text) {
  const std::string_view file = "file:";
  if (text.starts_with(file)) return model_of_file(std::string(text.substr(file.size())));
  if (text.substr(0, text.find(':')) != "hockney") return std::nullopt;
  text.remove_prefix(std::min(cost::hockney_prefix.size(), text.size()));
  return cost::parse_hockney("--model", text);
}

/// Throws InputError.
Model find_model(std::string_view text) {
  if (const auto hockney = find_hockney(text)) {
    return {.name = "hockney", .unit = "us", .hockney = hockney};
  }
  if (text == "links") return {.name = "links", .unit = "bytes", .is_links = true};
  if (text == "hop-bytes") return {.name = "hop-bytes", .unit = "byte-hops", .is_hops = true};
  if (text.substr(0, text.find(':')) == "contention") {
    text.remove_prefix(std::min(cost::contention_prefix.size(), text.size()));
    return {
        .name = "contention", .unit = "us", .contention = cost::parse_contention("--model", text)};
  }
  throw text::unknown_name("--model", "model", text, models);
}

std::vector<Setting> node_settings(const Options& options, int most_ranks) {
  const std::string& per_node = options.placement.ranks_per_node;
  if (options.nodes.nodes.empty() || per_node.empty()) {
    throw text::InputError("--model: 'hop-bytes' needs --nodes and --ranks-per-node");
  }
  std::vector<Setting> settings;
  for (const RanksOnNodes& each : options.nodes.combine(per_node, options.ranks, most_ranks)) {
    settings.push_back({each.ranks, each, each.placement()});
  }
  return settings;
}

std::vector<Setting> rank_settings(const Options& options, int most_ranks) {
  if (options.ranks.empty()) throw text::InputError("--ranks: is needed for this --model");
  const Machine machine = options.placement.read();
  std::vector<Setting> settings;
  for (const int ranks : text::parse_ranks("--ranks", options.ranks, most_ranks)) {
    settings.push_back({ranks, std::nullopt, machine.place(ranks)});
  }
  return settings;
}

/// The root at each of these numbers of ranks. Throws InputError.
int read_root(const Options& options, const std::vector<Setting>& settings,
              std::span<const algorithms::Choice> choices) {
  const auto fewest = std::ranges::min_element(settings, {}, &Setting::ranks);
  return options.root.among(fewest->ranks, choices);
}

/// An option of another model would have no effect.
void require_options_of_model(const Options& options, bool hops) {
  const auto refuse = [&](std::string_view option, const std::string& text, bool for_hops) {
    if (text.empty() || for_hops == hops) return;
    throw text::bad_value(option, text,
                          for_hops ? "is for --model hop-bytes alone"
                                   : "is not for --model hop-bytes, which has nodes in a row");
  };
  refuse("--nodes", options.nodes.nodes, true);
  refuse("--mapping", options.nodes.mapping, true);
  refuse("--topology", options.placement.topology, false);
  refuse("--hosts", options.placement.hosts, false);
}

/// Throws InputError.
std::vector<std::int64_t> blocks_of(const distributions::Distribution& distribution, int blocks,
                                    std::int64_t bytes) {
  try {
    return distributions::block_sizes(distribution, blocks, bytes);
  } catch (const text::InputError& error) {
    throw text::bad_value("--bytes", fmt::to_string(bytes), error.what());
  }
}

/// The cost of any blocks, from one summation where they are equal and stay whole.
class Pricer {
 public:
  Pricer(const algorithms::Choice& choice, const Setting& setting, const Model& model)
      : choice_(choice), setting_(setting), model_(model) {}

  double of(const std::vector<std::int64_t>& blocks) {
    const bool by_size = choice_.algorithm->cuts_blocks || !are_equal(blocks);
    if (by_size) sum(blocks);
    if (!by_size && !summed_) sum({});
    const double scale = by_size ? 1.0 : static_cast<double>(blocks.front());
    if (model_.hockney) return cost::hockney_seconds(uses_, *model_.hockney, scale) * 1e6;
    if (model_.contention) {
      return cost::contention_seconds(shared_, *model_.contention, scale) * 1e6;
    }
    return static_cast<double>(bytes_) * scale;
  }

 private:
  static bool are_equal(const std::vector<std::int64_t>& blocks) {
    return std::ranges::adjacent_find(blocks, std::ranges::not_equal_to()) == blocks.end();
  }
  void sum(const std::vector<std::int64_t>& block_bytes) {
    algorithms::Problem problem =
        setting_.placement.place(algorithms::problem_for(choice_, setting_.ranks));
    problem.block_bytes = block_bytes;
    summed_ = block_bytes.empty();
    if (model_.hockney) {
      uses_ = cost::port_uses(*choice_.algorithm, problem, model_.hockney->tau > 0);
    } else if (model_.contention) {
      shared_ = cost::shared_links(*choice_.algorithm, problem);
    } else if (model_.is_links) {
      bytes_ = cost::maximum_link_bytes(*choice_.algorithm, problem);
    } else {
      bytes_ = cost::hop_bytes(*choice_.algorithm, problem, setting_.placement.node);
    }
  }

  const algorithms::Choice& choice_;
  const Setting& setting_;
  const Model& model_;
  bool summed_ = false;
  std::vector<cost::PortUse> uses_;
  cost::SharedLinks shared_;
  std::int64_t bytes_ = 0;
};

bool has_barriers(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).barrier) return true;
  }
  return false;
}

/// Why the choice has no cost in this situation; empty if it has one. A barrier moves no bytes, but
/// takes time.
std::string reason_without_cost(const algorithms::Choice& choice,
                                const algorithms::Problem& problem, bool in_time) {
  if (std::string reason = reason_unusable(choice, problem); !reason.empty()) return reason;
  const algorithms::Schedule schedule = algorithms::make_schedule(*choice.algorithm, problem);
  if (schedule.broadcast_at_end) {
    return "ends with the library's MPI_Bcast, which no model prices; bcast=NAME has one of ours";
  }
  if (in_time && has_barriers(schedule)) {
    return "has the library's MPI_Barrier in its steps, which no model prices";
  }
  return {};
}

/// What a rank, which is not the root, has to receive.
int received_blocks(const collectives::Collective& collective, int ranks) {
  const collectives::Part part = part_of(collective, ranks - 1, ranks);
  std::vector<char> is_there(static_cast<std::size_t>(collective.blocks(ranks)), 0);
  for (const auto& [first, count] : part.initial) {
    std::fill_n(is_there.begin() + first, count, 1);
  }
  int received = 0;
  for (const auto& [first, count] : part.goal) {
    received +=
        static_cast<int>(std::count(is_there.begin() + first, is_there.begin() + first + count, 0));
  }
  return received;
}

/// Below which Hockney's model lets no collective of equal blocks come; empty for other models and
/// distributions.
std::string bound(const collectives::Collective& collective, int ranks, std::int64_t bytes,
                  const distributions::Distribution& distribution,
                  const std::optional<cost::Hockney>& hockney) {
  if (!hockney || distribution.label != regular) return {};
  const auto received = static_cast<double>(received_blocks(collective, ranks) * bytes);
  return fmt::format("{:.12g}", cost::hockney_bound_seconds(ranks, received, *hockney) * 1e6);
}

int run(const Options& options) {
  const Model model = find_model(options.model);
  if (model.needs_network() && options.placement.topology.empty()) {
    throw text::InputError(fmt::format("--model: '{}' needs --topology", model.name));
  }
  require_options_of_model(options, model.is_hops);
  const auto choices = options.algorithms.proven();
  const std::vector<std::int64_t> sizes = text::parse_bytes_list("--bytes", options.bytes);
  const std::vector<distributions::Distribution> distributions = distributions::parse_distributions(
      "--distributions", options.distributions,
      [](const std::string& path) { return text::read_file("--distributions", path); });
  const collectives::Collective& collective = options.algorithms.read_collective();
  if (options.distributions != regular) {
    (void)options.algorithms.read_unequal(options.distributions);
  }
  const int most_ranks = options.algorithms.most_ranks(
      model.contention ? max_ranks_contention : max_ranks, max_blocks);
  std::vector<Setting> settings =
      model.is_hops ? node_settings(options, most_ranks) : rank_settings(options, most_ranks);
  const int root = read_root(options, settings, choices);
  for (Setting& setting : settings) setting.placement.root = root;

  // Their order gives each algorithm its colour in figures.
  fmt::print("#@collective={}\n", collective.name);
  if (collective.has_root) fmt::print("#@root={}\n", root);
  fmt::print("#@registry={}\n", fmt::join(algorithms::algorithm_names(&collective), ","));
  fmt::print(
      "model,algorithm,ranks,nodes,ranks_per_node,mapping,distribution,bytes,cost,bound,unit,"
      "status,"
      "reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const Setting& setting : settings) {
      const std::string where =
          setting.nodes ? fmt::format("{},{},{}", setting.nodes->nodes,
                                      setting.nodes->ranks_per_node, setting.nodes->mapping)
                        : ",,";
      Pricer pricer(choice, setting, model);
      for (const distributions::Distribution& distribution : distributions) {
        distributions::require_ranks(distribution, setting.ranks);
        for (const std::int64_t bytes : sizes) {
          const std::vector<std::int64_t> blocks =
              blocks_of(distribution, collective.blocks(setting.ranks), bytes);
          algorithms::Problem problem =
              setting.placement.place(algorithms::problem_for(choice, setting.ranks));
          problem.block_bytes = blocks;
          const std::string reason =
              reason_without_cost(choice, problem, model.hockney || model.contention);
          const std::string cost = reason.empty() ? fmt::format("{:.12g}", pricer.of(blocks)) : "";
          fmt::print("{},{},{},{},{},{},{},{},{},{},{}\n", model.name,
                     text::csv_cell(choice.label()), setting.ranks, where,
                     text::csv_cell(distribution.label), bytes, cost,
                     bound(collective, setting.ranks, bytes, distribution, model.hockney),
                     model.unit, reason.empty() ? "ok" : "skipped", text::csv_cell(reason));
        }
      }
    }
  }
  return 0;
}

}  // namespace

Command add_cost_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command("cost", "Price algorithms by a model, as CSV");
  const auto options = std::make_shared<Options>();
  options->algorithms.add_to(command);
  command.add("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8");
  command.add("--bytes", options->bytes, "Sizes of a block: 1K,64K");
  command.add("--distributions", options->distributions,
              "Block sizes as allgatherv_bench has them: names, all, file:PATH");
  command
      .add(
          "--model", options->model,
          "hockney:alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS,gamma=SECONDS_A_BYTE (time of the "
          "busiest rank; tau: of each further message to a peer in a step, gamma: of what a "
          "reduction combines; 0 if not given); file:RESULT.csv (the "
          "same, as --measure-model of the benchmarks wrote it); "
          "contention:alpha=SECONDS,bandwidth=BYTES_A_SECOND,further=SHARE (a start-up a step, and "
          "its bytes over the most loaded link of --topology, whose LinkSpeed= are multiples of "
          "the bandwidth; further: what each further message of a step takes of a start-up, 1 if "
          "not "
          "given); hop-bytes "
          "(bytes times distance of nodes); links (bytes over the most loaded link)")
      .required();
  options->nodes.add_to(command);
  command.option("--nodes").described("For hop-bytes: numbers of nodes, 1:64");
  command.option("--mapping")
      .described("For hop-bytes: sequential, cyclic, or sequential,cyclic [sequential]");
  options->placement.add_to(command);
  options->root.add_to(command);
  command.option("--ranks-per-node")
      .described("Ranks 0 to N-1 are on one node, and so on; for hop-bytes a list: 4,8,16");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
