// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include "algorithms/cost/hockney.h"
#include "algorithms/cost/timing.h"
#include "algorithms/registry.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/prediction.h"
#include "distributions/block_sizes.h"
#include "formats/columns.h"
#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "gatherbench_version.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/computed_file.h"
#include "tools/allgather_schedule/common/timed_case.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr int max_ranks = 1 << 17;
constexpr std::int64_t max_blocks = std::int64_t{1} << 22;
constexpr std::int64_t max_iterations = 1'000'000;
constexpr std::string_view sends_key = "sends=";
constexpr std::array sends_names{text::Named<cost::Sends>{"rendezvous", cost::Sends::rendezvous},
                                 text::Named<cost::Sends>{"eager", cost::Sends::eager}};

struct Options {
  AlgorithmOptions algorithms;
  std::string ranks;
  std::string sizes;
  std::string distributions;
  std::string arrivals = "none";
  std::string prediction = "perfect";
  std::string iterations = "100";
  std::string seed = "1";
  std::string model;
  std::string output;
  PlacementOptions placement;
  RootOption root;
};

/// What is to be computed, found legal.
struct Task {
  std::vector<algorithms::Choice> choices;
  int ranks;
  std::vector<std::int64_t> sizes;
  std::vector<distributions::Distribution> distributions;
  std::vector<arrivals::ArrivalPattern> patterns;
  arrivals::Prediction prediction;
  std::int64_t iterations;
  std::uint64_t seed;
  cost::TimingModel model;
  algorithms::Placement placement;
  const collectives::Collective* collective;
};

cost::TimingModel parse_model(std::string_view text) {
  const std::string_view option = "--model";
  if (!text.starts_with(cost::hockney_prefix)) {
    throw text::bad_value(option, text,
                          "is no model of times; legal: "
                          "hockney:alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS,"
                          "gamma=SECONDS_A_BYTE,sends=WORD");
  }
  text.remove_prefix(cost::hockney_prefix.size());
  cost::TimingModel model{};
  std::string numbers;
  bool has_sends = false;
  for (const std::string_view part : text::split(text, ',')) {
    if (!part.starts_with(sends_key)) {
      if (!numbers.empty()) numbers += ',';
      numbers += part;
      continue;
    }
    if (has_sends) throw text::bad_value(option, part, "is given twice");
    has_sends = true;
    model.sends =
        text::parse_named("--model hockney:sends", sends_names, part.substr(sends_key.size()));
  }
  model.hockney = cost::parse_hockney(option, numbers);
  return model;
}

/// "hockney:alpha=2e-06,beta=1e-09,sends=eager, one port a rank"
std::string model_text(const Options& options, const Task& task) {
  std::string text = options.model;
  if (text.find(sends_key) == std::string::npos) {
    text += fmt::format(",{}{}", sends_key, text::name_in(sends_names, task.model.sends));
  }
  if (!options.placement.hosts.empty()) text += ", on the hosts " + options.placement.hosts;
  if (options.placement.topology.empty()) return text + ", one port a rank each way";
  return text + ", links of the topology shared max-min fairly";
}

/// Of the predictors that a computation is not needed for: "perfect, noise:SIGMA".
std::string names_of_predictors() {
  std::vector<std::string_view> names;
  for (const auto& one : arrivals::predictor_names) {
    if (arrivals::Prediction{.from = one.value}.is_of_pattern()) names.push_back(one.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

arrivals::Prediction parse_prediction(std::string_view text) {
  arrivals::Prediction prediction = arrivals::parse_prediction("--prediction", text);
  if (prediction.is_of_pattern()) return prediction;
  throw text::bad_value("--prediction", text,
                        "is what a rank sees of its computation, which is not computed; legal: " +
                            names_of_predictors());
}

Task settle(const Options& options) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const auto read = [](std::string_view option) {
    return [option](const std::string& path) { return text::read_file(option, path); };
  };
  const collectives::Collective& collective =
      options.distributions.empty() ? options.algorithms.read_collective()
                                    : options.algorithms.read_unequal(options.distributions);
  const int most = options.algorithms.most_ranks(max_ranks, max_blocks);
  const std::vector<int> ranks = text::parse_ranks("--ranks", options.ranks, most);
  if (ranks.size() != 1) throw text::bad_value("--ranks", options.ranks, "is more than one number");
  Task task{
      .choices = options.algorithms.proven(),
      .ranks = ranks.front(),
      .sizes = text::parse_bytes_list("--sizes", options.sizes),
      .distributions = distributions::parse_distributions(
          "--distributions", options.distributions.empty() ? "regular" : options.distributions,
          read("--distributions")),
      .patterns = arrivals::parse_arrivals("--arrival", options.arrivals, read("--arrival")),
      .prediction = parse_prediction(options.prediction),
      .iterations = text::parse_integer("--iterations", options.iterations, 1, max_iterations),
      .seed = static_cast<std::uint64_t>(text::parse_integer("--seed", options.seed, 0, max)),
      .model = parse_model(options.model),
      .placement = options.placement.read().place(ranks.front()),
      .collective = &collective};
  task.placement.root = options.root.among(task.ranks, task.choices);
  for (const auto& distribution : task.distributions) {
    distributions::require_ranks(distribution, task.ranks);
  }
  for (const auto& pattern : task.patterns) require_ranks("--arrival", pattern, task.ranks);
  if (!options.placement.topology.empty() && !(task.model.hockney.beta > 0)) {
    throw text::bad_value("--model", options.model,
                          "has links of no bandwidth to share; legal with --topology: beta > 0");
  }
  return task;
}

int nodes_of(const Task& task) {
  if (task.placement.node.empty()) return 1;
  return 1 + std::ranges::max(task.placement.node);
}

formats::Metadata metadata_of(const Options& options, const Task& task) {
  std::vector<std::string> labels;
  for (const algorithms::Choice& choice : task.choices) labels.push_back(choice.label());
  const std::size_t cases = task.sizes.size() * task.distributions.size() * task.patterns.size();
  formats::Metadata metadata{
      {"suite", fmt::format("gatherbench {}", version)},
      {"mpi", "none"},
      {"collective", std::string(task.collective->name)},
      {"ranks", fmt::to_string(task.ranks)},
      {"nodes", fmt::to_string(nodes_of(task))},
      {"sizes", fmt::format("{}", fmt::join(task.sizes, ","))},
      {"algorithms", fmt::format("{}", fmt::join(labels, ","))},
      {"distributions", options.distributions.empty() ? "regular" : options.distributions},
      {"arrivals", options.arrivals},
      {"prediction", task.prediction.label},
      {"topology", options.placement.topology.empty() ? "none" : options.placement.topology},
      {"pretended_ranks_per_node",
       options.placement.ranks_per_node.empty() ? "none" : options.placement.ranks_per_node},
      {"iterations", options.iterations},
      {"seed", options.seed},
      {"cases", fmt::to_string(cases)},
      {"simulated", "yes"},
      {"computed", model_text(options, task)},
      {"registry",
       fmt::format("{}", fmt::join(algorithms::algorithm_names(task.collective), ","))}};
  if (task.collective->has_root) {
    metadata.emplace_back("root", fmt::to_string(task.placement.root));
  }
  return metadata;
}

void add_rows(std::string& rows, const formats::CaseKey& key, const algorithms::Choice& choice,
              const TimedCase::Times& times, double message_us) {
  formats::Row row{.key = &key, .algorithm = {}, .reason = times.reason};
  const std::string label = choice.label();
  row.algorithm = label;
  if (!times.reason.empty()) {
    row.status = formats::Status::skipped;
    formats::write_row(rows, formats::File::results, row);
  }
  row.message_us = message_us;
  row.iteration = 0;
  for (const formats::Iteration& each : times.iterations) {
    row.times = &each;
    formats::write_row(rows, formats::File::results, row);
    ++*row.iteration;
  }
}

std::int64_t bytes_of(const collectives::Blocks& blocks, std::span<const std::int64_t> sizes) {
  std::int64_t sum = 0;
  for (const auto& [first, count] : blocks) {
    const auto some =
        sizes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    sum += std::reduce(some.begin(), some.end());
  }
  return sum;
}

std::vector<std::int64_t> blocks_of(const distributions::Distribution& distribution, int blocks,
                                    std::int64_t size) {
  try {
    return distributions::block_sizes(distribution, blocks, size);
  } catch (const text::InputError& error) {
    throw text::bad_value("--sizes", fmt::to_string(size), error.what());
  }
}

int run(const Options& options) {
  Task task = settle(options);
  task.model.network = task.placement.network.get();
  task.model.host = task.placement.host;
  ComputedFile file("--output", options.output);
  file.begin(metadata_of(options, task));
  for (const distributions::Distribution& distribution : task.distributions) {
    for (const arrivals::ArrivalPattern& pattern : task.patterns) {
      for (const std::int64_t size : task.sizes) {
        const std::vector<std::int64_t> blocks =
            blocks_of(distribution, task.collective->blocks(task.ranks), size);
        const formats::CaseKey key{std::string(task.collective->name),
                                   distribution.label,
                                   pattern.label,
                                   "sequential",
                                   task.ranks,
                                   nodes_of(task),
                                   size,
                                   bytes_of(task.collective->goal(0, task.ranks), blocks)};
        const TimedCase timed(pattern, task.prediction, task.placement, blocks, task.ranks, size,
                              task.model);
        std::string rows;
        for (const algorithms::Choice& choice : task.choices) {
          const TimedCase::Times times = timed.of(choice, task.iterations, task.seed);
          add_rows(rows, key, choice, times, timed.message_us());
        }
        file.add_case(rows, key.text());
      }
    }
  }
  file.write();
  return 0;
}

}  // namespace

Command add_time_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "time", "Compute when ranks leave by a model, under arrivals, as a result file");
  const auto options = std::make_shared<Options>();
  options->algorithms.add_to(command);
  command.add("--ranks", options->ranks, "A number of ranks").required();
  command.add("--sizes", options->sizes, "Sizes of a block: 1K,64K").required();
  command.add("--distributions", options->distributions,
              "Block sizes, for allgatherv: names, all, file:PATH");
  command.add("--arrival", options->arrivals, "Arrival patterns; t is a block's message");
  command.add("--prediction", options->prediction,
              "What arrival-aware algorithms are told: " + names_of_predictors());
  command.add("-i,--iterations", options->iterations, "Iterations of each case");
  command.add("--seed", options->seed, "For random arrivals");
  command
      .add("--model", options->model,
           "hockney:alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS,gamma=SECONDS_A_BYTE,"
           "sends=WORD: a message of n bytes takes alpha + n beta, and tau for each "
           "further run of blocks, and n gamma for what a reduction combines (0 if not "
           "given); WORD: rendezvous (a message waits for its receiver; if not given) or "
           "eager")
      .required();
  command.add("--output", options->output,
              "A new result file, .csv or .csv.gz; standard output if not given");
  options->placement.add_to(command);
  command.option("--topology")
      .described(
          "Switch tree, as Slurm's topology.conf, or torus:4x4; node i is its i-th host. Messages "
          "share its links, of 1/beta bytes a second each way");
  options->root.add_to(command);
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
