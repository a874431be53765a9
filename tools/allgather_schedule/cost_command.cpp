// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/cost.h"
#include "algorithms/cost/models.h"
#include "algorithms/cost/shared_links.h"
#include "algorithms/placement.h"
#include "distributions/block_sizes.h"
#include "formats/checksum.h"
#include "formats/gzip.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/common.h"
#include "tools/allgather_schedule/common/nodes.h"

namespace gatherbench::allgather_schedule {
namespace {

// The models of `cost --model`.

/// A model, as --model has it. One of the last two members is true where there are no parameters.
struct CostModel {
  std::string_view name;
  std::string_view unit;
  std::optional<cost::Hockney> hockney = {};
  std::optional<cost::ContentionModel> contention = {};
  std::optional<cost::HostWindow> window = {};  ///< beside one of these
  bool is_links = false;
  bool is_hops = false;

  [[nodiscard]] bool needs_network() const { return contention || is_links; }
  /// Returns true if the model's cost is a time.
  [[nodiscard]] bool is_time() const { return hockney || contention; }
};

constexpr std::string_view models[] = {"hockney:alpha=,beta=,tau=", "file:RESULT.csv",
                                       "contention:alpha=,bandwidth=,further=", "hop-bytes",
                                       "links"};

/// Returns Hockney's model, with these parameters of its own and of a window. Throws InputError.
CostModel hockney_model(std::string_view option, std::string_view parameters) {
  const cost::ParametersWithWindow given = cost::split_host_window(option, parameters);
  return {.name = "hockney",
          .unit = "us",
          .hockney = cost::parse_hockney(option, given.others),
          .window = given.window};
}

/// Returns the model that a result file has in its metadata. Throws InputError.
CostModel model_of_file(const std::string& path) {
  const std::string option = "--model file";
  std::string text = text::read_file(option, path);
  if (formats::is_gzip(path)) {
    std::string first;  // the member with the metadata
    if (!formats::read_gzip_member(text, first)) throw text::bad_value(option, path, "is damaged");
    text = first;
  }
  const std::string key = fmt::format("#@model={}", cost::hockney_prefix);
  formats::ChecksumCheck check(option, path);
  const std::string_view window_key = "#@host_window=";
  std::optional<std::string_view> model;
  std::string_view window = "none";
  bool has_columns = false;
  for (const std::string_view whole_line : text::split(text, '\n')) {
    const std::string_view line = check.take(whole_line);
    if (has_columns) break;  // this was the line with the checksum, if there is one
    if (line.starts_with(key)) model = line.substr(key.size());
    if (line.starts_with(window_key)) window = line.substr(window_key.size());
    has_columns = !line.starts_with('#');
  }
  if (!model) {
    throw text::bad_value(option, path,
                          "says no model; legal: a result file of a launch with --measure-model");
  }
  if (window.starts_with("none")) return hockney_model(option, *model);
  return hockney_model(option, fmt::format("{},{}", *model, window));
}

/// Parses the text behind --model. Throws InputError.
CostModel parse_cost_model(std::string_view text) {
  const std::string_view option = "--model";
  const std::string_view file = "file:";
  if (text.starts_with(file)) return model_of_file(std::string(text.substr(file.size())));
  const std::string_view name = text.substr(0, text.find(':'));
  const std::string_view parameters = text.substr(std::min(name.size() + 1, text.size()));
  if (name == "hockney") return hockney_model(option, parameters);
  if (name == "contention") {
    const cost::ParametersWithWindow given = cost::split_host_window(option, parameters);
    return {.name = "contention",
            .unit = "us",
            .contention = cost::parse_contention(option, given.others),
            .window = given.window};
  }
  if (text == "links") return {.name = "links", .unit = "bytes", .is_links = true};
  if (text == "hop-bytes") return {.name = "hop-bytes", .unit = "byte-hops", .is_hops = true};
  throw text::unknown_name(option, "model", text, models);
}

/// The placement of some ranks, as the model wants it.
struct Setting {
  int ranks;
  std::optional<RanksOnNodes> nodes;  ///< none: the options say nothing of them
  algorithms::Placement placement;
};

/// The cost of any blocks, from one summation where they are equal and move alike at any size.
class Pricer {
 public:
  /// All arguments must outlive it.
  Pricer(const algorithms::Choice& choice, const Setting& setting, const CostModel& model)
      : choice_(choice), setting_(setting), model_(model) {}

  /// Returns why these blocks have no cost; none if they have one.
  [[nodiscard]] std::optional<std::string> why_not_priced(
      const std::vector<std::int64_t>& blocks) const;
  /// Returns the cost, in the model's unit.
  [[nodiscard]] double cost_of(const std::vector<std::int64_t>& blocks);

 private:
  [[nodiscard]] bool copies() const { return choice_.via == algorithms::Via::window; }
  [[nodiscard]] algorithms::Problem problem_of(const std::vector<std::int64_t>& blocks) const;
  /// Sums up what the model needs of these blocks; if there are none, of blocks of 1 byte each.
  void sum(const std::vector<std::int64_t>& blocks);

  const algorithms::Choice& choice_;
  const Setting& setting_;
  const CostModel& model_;
  bool summed_ = false;
  std::vector<cost::PortUse> uses_;
  cost::SharedLinks shared_;
  double bytes_ = 0;
};

bool are_equal(const std::vector<std::int64_t>& blocks) {
  return std::ranges::adjacent_find(blocks, std::ranges::not_equal_to()) == blocks.end();
}

bool has_barriers(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).barrier) return true;
  }
  return false;
}

/// Returns the most runs of blocks in a message.
std::int64_t most_runs(const algorithms::Choice& choice) {
  const algorithms::MessageForm form =
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined);
  if (form.noncontiguous == algorithms::Noncontiguous::pipelined) return 1;
  return form.batch == 0 ? std::numeric_limits<std::int64_t>::max() : form.batch;
}

algorithms::Problem Pricer::problem_of(const std::vector<std::int64_t>& blocks) const {
  algorithms::Problem problem =
      setting_.placement.place(algorithms::problem_for(choice_, setting_.ranks));
  problem.block_bytes = blocks;
  return problem;
}

std::optional<std::string> Pricer::why_not_priced(const std::vector<std::int64_t>& blocks) const {
  const algorithms::Problem problem = problem_of(blocks);
  if (auto reason = why_not(choice_, problem)) return reason;
  const algorithms::Schedule schedule = algorithms::make_schedule(*choice_.algorithm, problem);
  if (schedule.broadcast_at_end) {
    return "ends with the library's MPI_Bcast, which no model prices; bcast=NAME has one of ours";
  }
  // A barrier moves no bytes, but takes time.
  if (model_.is_time() && has_barriers(schedule)) {
    return "has the library's MPI_Barrier in its steps, which no model prices";
  }
  return {};
}

double Pricer::cost_of(const std::vector<std::int64_t>& blocks) {
  if (model_.hockney && copies()) {
    return 1e6 * cost::hockney_window_seconds(*choice_.algorithm, problem_of(blocks),
                                              *model_.hockney, *model_.window, most_runs(choice_));
  }
  const bool by_size = algorithms::moves_by_size(choice_) || !are_equal(blocks);
  if (by_size) sum(blocks);
  if (!by_size && !summed_) sum({});
  const double scale = by_size ? 1.0 : static_cast<double>(blocks.front());
  const cost::HostWindow window = model_.window.value_or(cost::HostWindow{});
  if (model_.hockney) return cost::hockney_seconds(uses_, *model_.hockney, scale) * 1e6;
  if (model_.contention) {
    return cost::contention_seconds(shared_, *model_.contention, scale, window) * 1e6;
  }
  return bytes_ * scale;
}

void Pricer::sum(const std::vector<std::int64_t>& blocks) {
  const algorithms::Problem problem = problem_of(blocks);
  summed_ = blocks.empty();
  if (model_.hockney) {
    uses_ =
        cost::port_uses(*choice_.algorithm, problem, model_.hockney->tau > 0, most_runs(choice_));
  } else if (model_.contention) {
    const cost::ContentionModel& model = *model_.contention;
    const std::optional<cost::HostWindow> window = copies() ? model_.window : std::nullopt;
    const cost::StartUpTimes times{model.alpha, window ? window->alpha : 0, model.further};
    shared_ = cost::shared_links(*choice_.algorithm, problem,
                                 cost::host_speeds(model.memory, model.bandwidth, window),
                                 choice_.via, times);
  } else if (model_.is_links) {
    bytes_ = cost::maximum_link_bytes(*choice_.algorithm, problem);
  } else {
    bytes_ = cost::hop_bytes(*choice_.algorithm, problem, setting_.placement.node);
  }
}

constexpr int max_ranks = 1 << 15;
constexpr int max_ranks_contention = 2048;  // all schedules are in memory, and grow with p^2
constexpr std::int64_t max_blocks = std::int64_t{1} << 22;
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
  if (options.ranks.empty()) {
    throw text::InputError("--ranks: is needed for this --model; legal: numbers of ranks: 2:16");
  }
  const Machine machine = options.placement.read();
  std::vector<Setting> settings;
  for (const int ranks : text::parse_ranks("--ranks", options.ranks, most_ranks)) {
    Setting& setting = settings.emplace_back(Setting{ranks, std::nullopt, machine.place(ranks)});
    if (options.placement.given()) setting.nodes = found_on_nodes(setting.placement);
  }
  return settings;
}

/// Returns the root, which is a rank at each of these numbers of ranks. Throws InputError.
int read_root(const Options& options, const std::vector<Setting>& settings,
              std::span<const algorithms::Choice> choices) {
  const auto fewest = std::ranges::min_element(settings, {}, &Setting::ranks);
  return options.root.among(fewest->ranks, choices);
}

/// Throws InputError for an option of another model, which would have no effect.
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

/// Requires that copies within a node have a price, as in the models of times. Throws InputError.
void require_copies_of_model(const CostModel& model, const PlacementOptions& placement,
                             std::span<const algorithms::Choice> choices) {
  if (model.is_time()) {
    require_window(choices, model.window.has_value(), placement);
    return;
  }
  for (const algorithms::Choice& choice : choices) {
    if (choice.via == algorithms::Via::messages) continue;
    throw text::bad_value("--algorithms", choice.label(),
                          "copies within a node, which has no price in this model; legal with it: "
                          "--model hockney, contention");
  }
}

/// Throws InputError for a form of messages where the model has no price for it: only Hockney's
/// with tau above 0 has one.
void require_forms_of_model(const CostModel& model, std::span<const algorithms::Choice> choices) {
  if (model.hockney && model.hockney->tau > 0) return;
  for (const algorithms::Choice& choice : choices) {
    if (!choice.form) continue;
    throw text::bad_value("--algorithms", choice.label(),
                          "says how blocks become messages, which has no price in this model; "
                          "legal with it: --model hockney with tau above 0");
  }
}

/// Returns the number of blocks that a rank which is not the root has to receive.
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

/// The costs to compute, after all options were found legal.
struct Task {
  CostModel model;
  const collectives::Collective* collective;
  std::vector<algorithms::Choice> choices;
  std::vector<std::int64_t> sizes;
  std::vector<distributions::Distribution> distributions;
  std::vector<Setting> settings;
  int root;
};

/// Throws InputError.
Task settle(const Options& options) {
  const CostModel model = parse_cost_model(options.model);
  if (model.needs_network() && options.placement.topology.empty()) {
    throw text::InputError(fmt::format("--model: '{}' needs --topology", model.name));
  }
  require_options_of_model(options, model.is_hops);
  if (options.distributions != regular) {
    (void)options.algorithms.read_unequal(options.distributions);
  }
  Task task{.model = model,
            .collective = &options.algorithms.read_collective(),
            .choices = options.algorithms.proven(),
            .sizes = text::parse_bytes_list("--bytes", options.bytes),
            .distributions = distributions::parse_distributions(
                "--distributions", options.distributions,
                [](const std::string& path) { return text::read_file("--distributions", path); }),
            .settings = {},
            .root = 0};
  require_copies_of_model(model, options.placement, task.choices);
  require_forms_of_model(model, task.choices);
  const int most_ranks = options.algorithms.most_ranks(
      model.contention ? max_ranks_contention : max_ranks, max_blocks);
  task.settings =
      model.is_hops ? node_settings(options, most_ranks) : rank_settings(options, most_ranks);
  task.root = read_root(options, task.settings, task.choices);
  for (Setting& setting : task.settings) setting.placement.root = task.root;
  for (const Setting& setting : task.settings) {
    for (const auto& each : task.distributions) distributions::require_ranks(each, setting.ranks);
  }
  return task;
}

void print_head(const Task& task) {
  // The order of the registry gives each algorithm its colour in figures.
  fmt::print("#@collective={}\n", task.collective->name);
  if (task.collective->has_root) fmt::print("#@root={}\n", task.root);
  fmt::print("#@registry={}\n", fmt::join(algorithms::algorithm_names(task.collective), ","));
  fmt::print(
      "model,algorithm,ranks,nodes,ranks_per_node,mapping,distribution,bytes,cost,bound,unit,"
      "status,reason\n");
}

/// Returns the least cost of a collective of equal blocks that sends messages alone, by Hockney's
/// model; empty for other collectives, models and distributions. With a root ranks wait for others,
/// which is in the bound and in no cost.
std::string bound(const Task& task, const algorithms::Choice& choice, const Setting& setting,
                  const distributions::Distribution& distribution, std::int64_t bytes) {
  if (!task.model.hockney || distribution.label != regular) return {};
  if (task.collective->has_root) return {};
  if (choice.via != algorithms::Via::messages) return {};
  const auto received =
      static_cast<double>(received_blocks(*task.collective, setting.ranks) * bytes);
  return fmt::format(
      "{:.12g}", cost::hockney_bound_seconds(setting.ranks, received, *task.model.hockney) * 1e6);
}

/// Prints a row for each distribution and size.
void print_costs(const Task& task, const algorithms::Choice& choice, const Setting& setting) {
  const std::string where = setting.nodes
                                ? fmt::format("{},{},{}", setting.nodes->nodes,
                                              setting.nodes->ranks_per_node, setting.nodes->mapping)
                                : ",,";
  Pricer pricer(choice, setting, task.model);
  for (const distributions::Distribution& distribution : task.distributions) {
    for (const std::int64_t bytes : task.sizes) {
      const std::vector<std::int64_t> blocks =
          blocks_of(distribution, task.collective->blocks(setting.ranks), bytes);
      const std::optional<std::string> reason = pricer.why_not_priced(blocks);
      const std::string cost = reason ? "" : fmt::format("{:.12g}", pricer.cost_of(blocks));
      fmt::print("{},{},{},{},{},{},{},{},{},{},{}\n", task.model.name,
                 text::csv_cell(choice.label()), setting.ranks, where,
                 text::csv_cell(distribution.label), bytes, cost,
                 bound(task, choice, setting, distribution, bytes), task.model.unit,
                 reason ? "skipped" : "ok", text::csv_cell(reason.value_or("")));
    }
  }
}

int run(const Options& options) {
  const Task task = settle(options);
  print_head(task);
  for (const algorithms::Choice& choice : task.choices) {
    for (const Setting& setting : task.settings) print_costs(task, choice, setting);
  }
  return 0;
}

}  // namespace

Command add_cost_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command("cost", "Price algorithms by a model, as CSV");
  const auto options = std::make_shared<Options>();
  options->algorithms.takes_forms = true;
  options->algorithms.takes_copies = true;
  options->algorithms.add_to(command);
  command.add("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8");
  command.add("--bytes", options->bytes, "Sizes of a block: 1K,64K");
  command.add("--distributions", options->distributions,
              "Block sizes as allgatherv_bench has them: names, all, file:PATH");
  command
      .add("--model", options->model,
           fmt::format(
               "{}{} (time of the busiest rank; tau: of each further message to a peer in a step, "
               "which NAME:batch=K makes fewer, without what packing takes; gamma: of what a "
               "reduction combines; 0 if not given); file:RESULT.csv (the same, as --measure-model "
               "of the benchmarks wrote it); contention:{},{} (a start-up a step, and its bytes "
               "over the most loaded link of --topology, whose LinkSpeed= are multiples of the "
               "bandwidth; further: what each further message of a step takes of a start-up, 1 if "
               "not given; the last two: what a rank's messages to others of its host share, and "
               "those from them, the bandwidth if not given; and what the messages of all ranks of "
               "the host do, nothing if not given); hockney and contention also take {}, for "
               "NAME:via=window (a transfer of n bytes within a node takes the first, and n over "
               "the second; with --topology all those of a host share the third, or what the "
               "messages do if it is not given); hop-bytes (bytes times distance of nodes); links "
               "(bytes over the most loaded link)",
               cost::hockney_prefix, cost::hockney_forms(), cost::contention_forms(),
               cost::memory_forms(), cost::window_forms()))
      .required();
  options->nodes.add_to(command);
  command.option("--nodes").described("For hop-bytes: numbers of nodes, 1:64");
  command.option("--mapping")
      .described("For hop-bytes: sequential, cyclic, or sequential,cyclic [sequential]");
  options->placement.add_to(command);
  options->root.add_to(command);
  command.option("--ranks-per-node")
      .described("Ranks 0 to N-1 are on one node, and so on; for hop-bytes a list: 4,8,16");
  command.set_example(
      "allgather_schedule cost --algorithms ring,bruck --ranks 2:16 --model "
      "hockney:alpha=1e-6,beta=1e-10");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
