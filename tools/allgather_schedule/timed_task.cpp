// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/timed_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "algorithms/cost/exit_times.h"
#include "algorithms/cost/models.h"
#include "algorithms/messages/compact_schedules.h"
#include "algorithms/registry.h"
#include "distributions/arrivals/pattern_table.h"
#include "formats/available_memory.h"
#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "gatherbench_version.h"
#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {
namespace {

formats::Iteration iteration_of(const std::vector<double>& arrivals,
                                const std::vector<double>& exits) {
  std::vector<double> elapsed(exits.size());
  std::ranges::transform(exits, arrivals, elapsed.begin(), std::minus<>());
  const auto [first, last] = std::ranges::minmax(arrivals);
  return {
      {"min_us", std::ranges::min(elapsed)},
      {"avg_us", std::reduce(elapsed.begin(), elapsed.end()) / static_cast<double>(exits.size())},
      {"max_us", std::ranges::max(elapsed)},
      {"run_us", std::ranges::max(exits) - first},
      {"imbalance_us", last - first},
      {"clock_error_us", 0}};
}

double worst_error_us(std::span<const double> predicted, std::span<const double> arrivals) {
  double worst = 0;
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    worst = std::max(worst, std::abs(predicted[rank] - arrivals[rank]));
  }
  return worst;
}

/// Returns the times from the first one on.
std::vector<double> since_the_first(std::vector<double> us) {
  const double first = std::ranges::min(us);
  for (double& each : us) each -= first;
  return us;
}

std::vector<double> exits_us_of(const messages::CompactSchedules& schedules,
                                const cost::Arrivals& arrivals, std::int64_t total_bytes,
                                const cost::TimingModel& model) {
  std::vector<double> exits = exits_us(schedules, arrivals, model);
  const std::optional<int> root = schedules.broadcast_root();
  if (!root) return exits;
  return cost::broadcast_exits_us(exits, static_cast<double>(total_bytes), model.hockney, *root);
}

/// Returns the exit times by which the algorithm chooses: those of the model if it needs both times
/// of messages and the user gives neither. Times that the user gives may be wrong, and then the
/// algorithm goes by these.
algorithms::ExitTimes predicted_exits(const algorithms::Choice& choice,
                                      const cost::TimingModel& model) {
  const bool knows_model =
      algorithms::needs_message_time(choice) && algorithms::needs_start_time(choice);
  return knows_model ? cost::exit_times(model) : cost::exit_times_of_messages();
}

/// Notes that ranks arrived just as the pattern asked.
void mark_as_asked(formats::Iteration& one) {
  one["asked_imbalance_us"] = one["imbalance_us"];
  one["asked_run_us"] = one["run_us"];
  one["delay_error_us"] = 0;
}

double message_time_us(std::int64_t bytes, const cost::TimingModel& model) {
  return 1e6 * (model.hockney.alpha + static_cast<double>(bytes) * model.hockney.beta);
}

}  // namespace

TimedCase::TimedCase(const arrivals::ArrivalPattern& pattern,
                     const arrivals::Prediction& prediction, const algorithms::Placement& placement,
                     const std::vector<std::int64_t>& block_bytes, int ranks,
                     std::int64_t base_bytes, const cost::TimingModel& model)
    : pattern_(pattern),
      prediction_(prediction),
      placement_(placement),
      block_bytes_(block_bytes),
      ranks_(ranks),
      model_(model),
      message_us_(message_time_us(base_bytes, model)) {}

/// Returns true if all iterations are alike.
bool TimedCase::is_steady() const {
  const bool arrives_alike =
      pattern_.named != nullptr && (pattern_.is_none() || pattern_.named->steady);
  return arrives_alike && (prediction_.from == arrivals::Predictor::perfect ||
                           prediction_.from == arrivals::Predictor::reversed);
}

cost::TimingModel TimedCase::model_for(const algorithms::Choice& choice) const {
  cost::TimingModel model = model_;
  if (choice.via == algorithms::Via::messages) model.window.reset();
  return model;
}

void TimedCase::tell_times(const algorithms::Choice& choice, std::int64_t total_bytes,
                           algorithms::Problem& problem) const {
  if (algorithms::needs_message_time(choice)) {
    const auto blocks = static_cast<std::int64_t>(block_bytes_.size());
    const std::int64_t mean_bytes = (total_bytes + blocks - 1) / blocks;
    problem.message_us = message_time_us(mean_bytes, model_);
    if (choice.algorithm->kind->combines) {
      problem.message_us += 1e6 * static_cast<double>(total_bytes) * model_.hockney.gamma;
    }
  }
  if (algorithms::needs_start_time(choice)) problem.start_us = 1e6 * model_.hockney.alpha;
}

TimedCase::Times TimedCase::of(const algorithms::Choice& choice, std::int64_t iterations,
                               std::uint64_t seed) const {
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  algorithms::Problem problem = placement_.place(algorithms::problem_for(choice, ranks_));
  problem.block_bytes = block_bytes_;
  Times times{.reason = why_not(choice, problem).value_or(""), .iterations = {}};
  if (!times.reason.empty()) return times;
  const cost::TimingModel model = model_for(choice);
  const auto total = std::reduce(block_bytes_.begin(), block_bytes_.end());
  tell_times(choice, total, problem);
  const algorithms::ExitTimes predicted = predicted_exits(choice, model);
  problem.exits_us = &predicted;
  const bool runs = model.hockney.tau > 0;
  std::optional<messages::CompactSchedules> schedules;
  const std::int64_t different = is_steady() ? 1 : iterations;
  for (std::int64_t i = 0; i < different; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const std::vector<double> arrivals = arrivals_us(pattern_, ranks_, seed, number, message_us_);
    std::vector<double> told;
    std::vector<double> expected;
    if (algorithm.is<algorithms::ByArrivals>()) {
      told = arrivals::predicted_us(prediction_, arrivals, seed, number, message_us_);
      expected = since_the_first(told);
      problem.arrival_us = expected;
    }
    if (algorithm.is<algorithms::ByArrivals>() || !schedules) {
      schedules = messages::CompactSchedules::of(algorithm, problem, runs);
    }
    const std::vector<double> exits = exits_us_of(
        *schedules, {.us = arrivals, .in_background = runs_ahead(algorithm)}, total, model);
    formats::Iteration one = iteration_of(arrivals, exits);
    if (!pattern_.is_none()) mark_as_asked(one);
    if (algorithm.is<algorithms::ByArrivals>()) {
      one["prediction_error_us"] = worst_error_us(told, arrivals);
    }
    times.iterations.push_back(one);
  }
  times.iterations.resize(static_cast<std::size_t>(iterations), times.iterations.front());
  return times;
}

namespace {

constexpr int max_ranks = 1 << 17;
constexpr std::int64_t max_blocks = std::int64_t{1} << 22;
constexpr std::int64_t max_iterations = 1'000'000;
constexpr std::string_view sends_key = "sends=";
constexpr std::array sends_names{text::Named<cost::Sends>{"rendezvous", cost::Sends::rendezvous},
                                 text::Named<cost::Sends>{"eager", cost::Sends::eager}};

cost::TimingModel parse_model(std::string_view text) {
  const std::string_view option = "--model";
  if (!text.starts_with(cost::hockney_prefix)) {
    throw text::bad_value(option, text, "is no model of times; legal: " + forms_of_model());
  }
  text.remove_prefix(cost::hockney_prefix.size());
  cost::TimingModel model{};
  std::vector<std::string_view> numbers;
  bool has_sends = false;
  for (const std::string_view part : text::split(text, ',')) {
    if (!part.starts_with(sends_key)) {
      numbers.push_back(part);
      continue;
    }
    if (has_sends) throw text::bad_value(option, part, "is given twice");
    has_sends = true;
    model.sends =
        text::parse_named("--model hockney:sends", sends_names, part.substr(sends_key.size()));
  }
  const cost::ParametersWithWindow copies =
      cost::split_host_window(option, fmt::format("{}", fmt::join(numbers, ",")));
  model.window = copies.window;
  const cost::ParametersWithMemory parameters = cost::split_host_memory(option, copies.others);
  model.hockney = cost::parse_hockney(option, parameters.others);
  model.memory = parameters.memory;
  return model;
}

/// Returns the model as text, such as "hockney:alpha=2e-06,beta=1e-09,sends=eager, one port a rank
/// each way".
std::string model_text(const TimeOptions& options, const TimedTask& task) {
  std::string text = options.model;
  if (text.find(sends_key) == std::string::npos) {
    text += fmt::format(",{}{}", sends_key, text::name_in(sends_names, task.model.sends));
  }
  if (!options.placement.hosts.empty()) text += ", on the hosts " + options.placement.hosts;
  if (options.placement.topology.empty()) return text + ", one port a rank each way";
  return text + ", links of the topology shared max-min fairly";
}

arrivals::Prediction parse_prediction(std::string_view text) {
  arrivals::Prediction prediction = arrivals::parse_prediction("--prediction", text);
  if (prediction.is_of_pattern()) return prediction;
  throw text::bad_value("--prediction", text,
                        "is what a rank sees of its computation, which is not computed; legal: " +
                            names_of_predictors());
}

/// Returns the blocks of this size for which most memory is needed: unequal ones; none if all are
/// equal. Ranks' schedules are kept apart where blocks are unequal, else one may stand for all.
std::vector<std::int64_t> dearest_blocks(const TimedTask& task, std::int64_t size) {
  for (const distributions::Distribution& distribution : task.distributions) {
    std::vector<std::int64_t> blocks = task.blocks_of(distribution, size);
    if (std::ranges::adjacent_find(blocks, std::not_equal_to{}) != blocks.end()) return blocks;
  }
  return {};
}

/// Throws InputError if messages of blocks of this size may take more memory than is available.
void require_memory(const TimedTask& task, std::int64_t size, std::int64_t available) {
  const std::vector<std::int64_t> blocks = dearest_blocks(task, size);
  for (const algorithms::Choice& choice : task.choices) {
    algorithms::Problem problem = task.placement.place(algorithms::problem_for(choice, task.ranks));
    problem.block_bytes = blocks;
    problem.equal_bytes = size;  // where there are none
    if (why_not(choice, problem)) continue;
    const std::int64_t needed = messages::CompactSchedules::expected_bytes(
        *choice.algorithm, problem, task.model.hockney.tau > 0);
    if (needed <= available) continue;
    throw text::bad_value(
        "--ranks", fmt::to_string(task.ranks),
        fmt::format("are too many for {}, whose messages may take {}; legal: so many "
                    "that they take up to {}, which this machine has",
                    choice.label(), text::human_bytes(needed), text::human_bytes(available)));
  }
}

/// Throws InputError, before anything is computed, if messages may take more memory than there is.
/// Blocks of one size may be cut into more segments than those of another one can be.
void require_memory(const TimedTask& task) {
  const std::int64_t available = formats::available_memory();
  for (const std::int64_t size : task.sizes) require_memory(task, size, available);
}

/// Requires that the links that messages share are there, and have a bandwidth. Throws InputError.
void require_shares(const TimeOptions& options, const cost::TimingModel& model) {
  const bool has_network = !options.placement.topology.empty();
  if (has_network && !(model.hockney.beta > 0)) {
    throw text::bad_value("--model", options.model,
                          "has links of no bandwidth to share; legal with --topology: beta > 0");
  }
  if (!has_network && model.memory) {
    throw text::bad_value("--model", options.model,
                          "says what ranks of a host share, and without --topology there are no "
                          "hosts; legal: with --topology");
  }
}

/// Returns the total sizes; none if sizes of blocks are given.
std::vector<std::int64_t> read_totals(const TimeOptions& options,
                                      const collectives::Collective& collective) {
  if (options.sizes.empty() && options.total_sizes.empty()) {
    throw text::InputError("--sizes: is not given; legal: --sizes LIST or --total-sizes LIST");
  }
  if (options.total_sizes.empty()) return {};
  if (!collective.gathers() || collective.unequal_blocks || !options.distributions.empty()) {
    throw text::bad_value("--total-sizes", options.total_sizes,
                          "are of all-gathers with equal blocks; legal elsewhere: --sizes");
  }
  return text::parse_bytes_list("--total-sizes", options.total_sizes);
}

/// Returns a rank's part of each total, to the nearest byte (as agformats/total_sizes.py finds it).
std::vector<std::int64_t> parts_of(std::span<const std::int64_t> totals, int ranks) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  std::vector<std::int64_t> parts;
  for (const std::int64_t total : totals) {
    if (total > most) {
      throw text::bad_value("--total-sizes", fmt::to_string(total),
                            "is too large; legal: up to 2^60 bytes");
    }
    const std::int64_t part = total / ranks + (total % ranks + ranks / 2) / ranks;
    if (part == 0 || std::ranges::find(parts, part) != parts.end()) {
      throw text::bad_value(
          "--total-sizes", fmt::to_string(total),
          fmt::format("over {} ranks is {}; legal: sizes that are a byte or more a rank, and "
                      "differ there",
                      ranks, part == 0 ? "nothing" : "a block that another one has, too"));
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::string forms_of_model() {
  return fmt::format("{}{},{}WORD,{},{}", cost::hockney_prefix, cost::hockney_forms(), sends_key,
                     cost::memory_forms(), cost::window_forms());
}

std::string names_of_predictors() {
  std::vector<std::string_view> names;
  for (const auto& one : arrivals::predictor_names) {
    if (arrivals::Prediction{.from = one.value}.is_of_pattern()) names.push_back(one.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

TimedTask settle(const TimeOptions& options) {
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
  const std::vector<std::int64_t> totals = read_totals(options, collective);
  TimedTask task{
      .choices = options.algorithms.proven(),
      .ranks = ranks.front(),
      .sizes = totals.empty() ? text::parse_bytes_list("--sizes", options.sizes)
                              : parts_of(totals, ranks.front()),
      .totals = totals,
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
  require_memory(task);
  require_shares(options, task.model);
  require_window(task.choices, task.model.window.has_value(), options.placement);
  return task;
}

int TimedTask::nodes() const {
  if (placement.node.empty()) return 1;
  return 1 + std::ranges::max(placement.node);
}

std::vector<std::int64_t> TimedTask::blocks_of(const distributions::Distribution& distribution,
                                               std::int64_t size) const {
  try {
    return distributions::block_sizes(distribution, collective->blocks(ranks), size);
  } catch (const text::InputError& error) {
    throw text::bad_value("--sizes", fmt::to_string(size), error.what());
  }
}

formats::Metadata metadata_of(const TimeOptions& options, const TimedTask& task) {
  std::vector<std::string> labels;
  for (const algorithms::Choice& choice : task.choices) labels.push_back(choice.label());
  const std::size_t cases = task.sizes.size() * task.distributions.size() * task.patterns.size();
  formats::Metadata metadata{
      {"suite", fmt::format("gatherbench {}", version)},
      {"mpi", "none"},
      {"collective", std::string(task.collective->name)},
      {"ranks", fmt::to_string(task.ranks)},
      {"nodes", fmt::to_string(task.nodes())},
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
  if (!task.totals.empty()) {
    metadata.emplace_back("note.sizes_times_ranks", fmt::format("{}", fmt::join(task.totals, ",")));
  }
  if (task.collective->has_root) {
    metadata.emplace_back("root", fmt::to_string(task.placement.root));
  }
  return metadata;
}

}  // namespace gatherbench::allgather_schedule
