// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/exit_times.h"
#include "algorithms/registry.h"
#include "algorithms/shared/inner.h"
#include "algorithms/shared/radix.h"
#include "algorithms/topology/switch_tree.h"

namespace gatherbench::proof {

namespace {

/// Returns lists whose product is p: its prime factors ascending, in reverse order, and with the
/// last two as one; p alone. In front is an empty list, for what the algorithm chooses.
std::vector<algorithms::Numbers> lists_of_factors(int ranks) {
  const algorithms::Numbers factors = algorithms::prime_factors(ranks);
  std::set<std::vector<std::int32_t>> different;
  std::vector<std::int32_t> list(factors.all().begin(), factors.all().end());
  if (!list.empty()) different.insert(list);
  if (!list.empty()) different.insert({list.rbegin(), list.rend()});
  if (list.size() > 1) {
    list[list.size() - 2] *= list.back();
    list.pop_back();
    different.insert(list);
  }
  if (ranks > 1) different.insert({ranks});
  std::vector<algorithms::Numbers> lists{algorithms::Numbers{}};  // as the algorithm chooses
  for (const std::vector<std::int32_t>& one : different) {
    algorithms::Numbers numbers;
    for (const std::int32_t number : one) numbers.add(number);
    lists.push_back(numbers);
  }
  return lists;
}

/// A visitor of a parameter's default, which returns the values to try the parameter with.
struct ValuesToTry {
  const algorithms::Algorithm& algorithm;
  const algorithms::Parameter& parameter;
  int ranks;

  std::vector<TriedValue> operator()(std::monostate) const { return {}; }
  /// Returns small values and a large one, and the default if that is "auto".
  std::vector<TriedValue> operator()(algorithms::Count by_default) const {
    std::vector<TriedValue> all;
    // Blocks have so many bytes that there are as many segments.
    const std::int64_t block_bytes = algorithm.cuts_blocks ? 10 : 0;
    for (const std::int64_t value : small_and_large()) {
      all.push_back({algorithms::Count{value}, block_bytes});
    }
    if (by_default.value == 0) all.push_back({by_default, block_bytes});  // as it chooses
    return all;
  }
  std::vector<TriedValue> operator()(const algorithms::Numbers& by_default) const {
    std::vector<TriedValue> all;
    if (by_default.size == 0) {
      for (const algorithms::Numbers& list : lists_of_factors(ranks)) all.push_back({list});
      return all;
    }
    for (const std::int64_t value : small_and_large()) {
      all.push_back({algorithms::Numbers{static_cast<std::int32_t>(value)}});
    }
    const auto min = static_cast<std::int32_t>(parameter.min);
    all.push_back({algorithms::Numbers{min + 1, min}});
    all.push_back({algorithms::Numbers{min, min + 3, min + 1}});
    return all;
  }
  /// Returns a size that leaves a block one segment, and one that cuts it into three, the last
  /// shorter.
  std::vector<TriedValue> operator()(algorithms::Bytes) const {
    return {{algorithms::Bytes{100}, 10}, {algorithms::Bytes{4}, 10}};
  }
  /// Returns none: with_arrivals() tries times.
  std::vector<TriedValue> operator()(const algorithms::MessageTime&) const { return {}; }
  /// Returns times to start a message that takes 1 us: a part of it, and next to none. With the
  /// latter, blocks can be cut.
  std::vector<TriedValue> operator()(const algorithms::StartTime&) const {
    using std::chrono::nanoseconds;
    return {{algorithms::StartTime{nanoseconds(300)}}, {algorithms::StartTime{nanoseconds(1)}, 10}};
  }
  std::vector<TriedValue> operator()(const algorithms::Algorithm* by_default) const {
    std::vector<TriedValue> all;
    all.push_back({by_default});
    for (const algorithms::Algorithm& inner : algorithms::all_algorithms()) {
      if (&inner != by_default && is_legal_inner(parameter, inner)) all.push_back({&inner});
    }
    return all;
  }

 private:
  [[nodiscard]] std::set<std::int64_t> small_and_large() const {
    const std::int64_t min = parameter.min;
    // The time of a proof grows with the number of segments.
    const std::int64_t large = algorithm.cuts_blocks ? min : std::max<std::int64_t>(ranks - 2, min);
    return {min, min + 1, min + 2, min + 5, large};
  }
};

// The largest number of ranks at which all values are tried. Beyond it each value of the first
// parameter is tried with one value of the others; but two values of the first, if the algorithm
// goes by arrivals, since each is tried in many of these.
constexpr int max_ranks_for_all_values = 20;
// The largest number of ranks at which that is so. Beyond it two values of the first parameter are
// tried, of which the default is the first; but one, if the algorithm goes by arrivals.
constexpr int max_ranks_for_many_values = 100;

/// Puts the default in front of the values, unless the algorithm or the parameter cuts blocks: the
/// time of a proof grows with the number of segments, so that is tried with the fewest.
void begin_with_default(std::vector<TriedValue>& values, const ValuesToTry& of) {
  const algorithms::ParameterValue& by_default = of.parameter.default_value;
  if (of.algorithm.cuts_blocks || std::holds_alternative<algorithms::Bytes>(by_default)) return;
  const auto found = std::ranges::find(values, by_default, &TriedValue::value);
  if (found == values.end()) {
    values.insert(values.begin(), {by_default});
  } else {
    std::rotate(values.begin(), found, std::next(found));
  }
}

}  // namespace

std::vector<TriedValue> tried_values(const algorithms::Algorithm& algorithm, std::size_t parameter,
                                     int ranks) {
  const ValuesToTry to_try{algorithm, algorithm.parameters[parameter], ranks};
  std::vector<TriedValue> values = std::visit(to_try, to_try.parameter.default_value);
  if (values.empty()) return values;
  begin_with_default(values, to_try);
  if (ranks <= max_ranks_for_all_values) return values;
  const bool few = ranks > max_ranks_for_many_values;
  std::size_t most = values.size();
  if (parameter == 0 && (few || algorithm.is<algorithms::ByArrivals>())) most = 2;
  if (parameter > 0 || (few && algorithm.is<algorithms::ByArrivals>())) most = 1;
  if (values.size() > most) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(most), values.end());
  }
  return values;
}

namespace {

/// Returns each trial with each value of parameter i that is in range. Of two phases one always has
/// its default, since they do not know each other.
std::vector<Trial> with_values(const std::vector<Trial>& before, std::size_t i, int ranks) {
  const algorithms::Algorithm& algorithm = *before.front().choice.algorithm;
  const algorithms::Parameter& parameter = algorithm.parameters[i];
  const std::vector<TriedValue> values = tried_values(algorithm, i, ranks);
  if (values.empty()) return before;
  std::vector<Trial> all;
  for (const Trial& one : before) {
    for (const TriedValue& each : values) {
      if (parameter.is_phase && &one != &before.front() && &each != &values.front()) break;
      Trial trial = one;
      trial.text += fmt::format("{}{}={}", trial.text.empty() ? "" : ", ", parameter.name,
                                to_text(each.value));
      trial.choice.parameters[i] = each.value;
      if (parameter_out_of_range(trial.choice, ranks) != nullptr) continue;
      if (each.block_bytes > 0) {
        trial.text += fmt::format(", c={}", each.block_bytes);
        const int blocks = algorithm.kind->blocks(ranks);
        trial.block_bytes.assign(static_cast<std::size_t>(blocks), each.block_bytes);
      }
      all.push_back(std::move(trial));
    }
  }
  return all;
}

/// Returns a trial for each combination of parameter values, or the choice alone if the user gave
/// some.
std::vector<Trial> with_parameters(const algorithms::Choice& choice, int ranks) {
  std::vector<Trial> all{Trial{.text = {}, .choice = choice}};
  if (!choice.variant.empty()) return all;
  for (std::size_t i = 0; i < choice.algorithm->parameters.size() && !all.empty(); ++i) {
    all = with_values(all, i, ranks);
  }
  return all;
}

struct Arrangement {
  std::string_view text;
  int (*node)(int rank, int ranks);
};
// For most p the last node has another number of ranks than its arrangement says.
constexpr Arrangement arrangements[] = {
    {"nodes of 1, 2, 3, 4, ... ranks",
     [](int rank, int) {
       const int in_ten = rank % 10;
       return rank / 10 * 4 + (in_ten >= 1) + (in_ten >= 3) + (in_ten >= 6);
     }},
    {"one node", [](int, int) { return 0; }},
    {"a node a rank", [](int rank, int) { return rank; }},
    {"nodes of 4", [](int rank, int) { return rank / 4; }},
    {"nodes of 4, interleaved", [](int rank, int ranks) { return rank % ((ranks + 3) / 4); }},
    {"nodes in disorder", [](int rank, int) { return rank * rank % 7; }},
};

// An inner algorithm sees only the number of nodes, so more ranks tell little more about it.
constexpr int max_ranks_for_inner = 100;

std::vector<Trial> with_nodes(std::vector<Trial> before, int ranks) {
  std::vector<Trial> all;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (const Arrangement& arrangement : arrangements) {
      // The first inner algorithm is tried in every arrangement, the others in the hardest one.
      if (i > 0 && (&arrangement != arrangements || ranks > max_ranks_for_inner)) break;
      Trial trial = before[i];
      trial.text += fmt::format("{}{}", trial.text.empty() ? "" : ", ", arrangement.text);
      for (int rank = 0; rank < ranks; ++rank) {
        trial.placement.node.push_back(arrangement.node(rank, ranks));
      }
      all.push_back(std::move(trial));
    }
  }
  return all;
}

/// Returns the text of a switch tree: switches with 4 hosts each, in a chain, or below others
/// without hosts.
std::string pretended_tree(int hosts, bool chain) {
  std::string text;
  const int leaves = (hosts + 3) / 4;
  for (int leaf = 0; leaf < leaves; ++leaf) {
    text += fmt::format("SwitchName=s{} Nodes=h[{}-{}]", leaf, 4 * leaf,
                        std::min(4 * leaf + 3, hosts - 1));
    text += chain && leaf + 1 < leaves ? fmt::format(" Switches=s{}\n", leaf + 1) : "\n";
  }
  if (chain) return text;
  const int middle = (leaves + 2) / 3;
  for (int i = 0; i < middle; ++i) {
    text += fmt::format("SwitchName=m{} Switches=s[{}-{}]\n", i, 3 * i,
                        std::min(3 * i + 2, leaves - 1));
  }
  return text + fmt::format("SwitchName=top Switches=m[0-{}]\n", middle - 1);
}

/// Returns whether the algorithm, or a phase of it, wants the network to be known.
bool uses_network(const algorithms::Choice& choice) {
  const algorithms::Parameters& parameters = choice.algorithm->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].is_phase) continue;
    if (std::get<const algorithms::Algorithm*>(choice.parameters[i])->contention_free) return true;
  }
  return choice.algorithm->contention_free;
}

/// Returns each trial on each of four switch trees. Trials that use no network, in the ranks' own
/// order, stay as they are.
std::vector<Trial> with_switches(const std::vector<Trial>& before, int ranks) {
  std::vector<Trial> all;
  for (const Trial& one : before) {
    if (!uses_network(one.choice) && one.choice.order == nullptr) {
      all.push_back(one);
      continue;
    }
    for (const bool chain : {true, false}) {
      for (const int ranks_on_host : {1, 3}) {
        const int hosts = (ranks + ranks_on_host - 1) / ranks_on_host;
        Trial trial = one;
        trial.text += fmt::format("{}{} of switches, hosts of {}", trial.text.empty() ? "" : ", ",
                                  chain ? "chain" : "tree", ranks_on_host);
        auto tree = std::make_shared<const topology::SwitchTree>(
            topology::SwitchTree::parse("pretended", pretended_tree(hosts, chain)));
        trial.placement = algorithms::pretended_placement(ranks, ranks_on_host, std::move(tree));
        all.push_back(std::move(trial));
      }
    }
  }
  return all;
}

/// Adds the first trial again, with blocks of 0 to 6 bytes in disorder.
std::vector<Trial> with_block_sizes(std::vector<Trial> before, int ranks) {
  Trial trial = before.front();
  trial.text += fmt::format("{}unequal blocks", trial.text.empty() ? "" : ", ");
  trial.block_bytes.clear();
  for (int rank = 0; rank < ranks; ++rank) trial.block_bytes.push_back(rank * rank % 7);
  before.push_back(std::move(trial));
  return before;
}

/// Returns the trials in each situation that their order of the ranks depends on. Hosts are in
/// disorder, since the ranks' own order would be that of the switches otherwise.
std::vector<Trial> with_order(std::vector<Trial> before, int ranks) {
  switch (before.front().choice.order->by) {
    case algorithms::OrderedBy::switches: {
      std::vector<Trial> all = with_switches(before, ranks);
      for (Trial& trial : all) {
        std::mt19937 random(static_cast<unsigned>(ranks));
        std::ranges::shuffle(trial.placement.host, random);
        trial.placement.node = trial.placement.host;
      }
      return all;
    }
    case algorithms::OrderedBy::nodes:
      return with_nodes(std::move(before), ranks);
    case algorithms::OrderedBy::block_sizes:
      return with_block_sizes(std::move(before), ranks);
  }
  return before;
}

// The effect of an order on a schedule has little to do with the number of ranks.
constexpr int max_ranks_for_orders = 20;

/// Adds a trial in each order of the ranks, if the algorithm takes orders.
void add_orders(std::vector<Trial>& trials, int ranks) {
  if (!algorithms::takes_order(*trials.front().choice.algorithm) || ranks > max_ranks_for_orders) {
    return;
  }
  const Trial first = trials.front();
  for (const algorithms::NamedOrder& order : algorithms::named_orders()) {
    Trial one = first;
    one.text += fmt::format("{}@{}", one.text.empty() ? "" : ", ", order.name);
    one.choice.order = &order;
    trials.push_back(with_order({one}, ranks).back());
  }
}

/// The times at which ranks arrive, in microseconds, where a message takes one.
struct Arrivals {
  std::string_view text;
  double (*at)(int rank, int ranks, std::mt19937& random);
  bool many_ranks_too = false;  // the schedules of all ranks take p^3 steps
  double message_us = 1;
};
double uniform(std::mt19937& random, double most) {
  return static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) * most;
}
constexpr Arrivals arrivals[] = {
    {"at once", [](int, int, std::mt19937&) { return 0.0; }, true},
    {"at random within p messages",
     [](int, int ranks, std::mt19937& random) { return uniform(random, ranks); }, true},
    {"at random within 3 messages",
     [](int, int, std::mt19937& random) { return std::floor(uniform(random, 3.5)); }},
    {"at random within a million messages",
     [](int, int, std::mt19937& random) { return uniform(random, 1e6); }, true},
    {"a rank late by p/2 messages",
     [](int rank, int ranks, std::mt19937&) { return rank == ranks / 3 ? ranks / 2.0 : 0; }},
    {"rank 0 late for ever", [](int rank, int, std::mt19937&) { return rank == 0 ? 1e300 : 0; }},
    {"a rank early by p messages",
     [](int rank, int ranks, std::mt19937&) { return rank == ranks / 2 ? 0 : ranks + 0.5; }},
    {"in order, a message apart", [](int rank, int, std::mt19937&) { return rank + 0.0; }},
    {"in reverse order, 1.5 messages apart",
     [](int rank, int ranks, std::mt19937&) { return 1.5 * (ranks - rank); }},
    {"at random, time of a message not known",
     [](int, int, std::mt19937& random) { return uniform(random, 100); }, false, 0},
};
constexpr int max_ranks_for_all_arrivals = 40;
// Limits for algorithms that choose from others, each of which has a proof of its own.
constexpr int max_ranks_for_choosing = 20;
constexpr std::size_t arrivals_for_choosing = 2;

std::vector<Trial> with_arrivals(const std::vector<Trial>& before, int ranks) {
  std::vector<Trial> all;
  const bool chooses =
      algorithms::value_of_kind<algorithms::StartTime>(before.front().choice.parameters) != nullptr;
  const std::size_t tried =
      chooses && ranks > max_ranks_for_choosing ? arrivals_for_choosing : std::size(arrivals);
  for (const Trial& one : before) {
    for (const Arrivals& pattern : std::span(arrivals).first(tried)) {
      if (ranks > max_ranks_for_all_arrivals && !pattern.many_ranks_too) continue;
      Trial trial = one;
      trial.text += fmt::format("{}arrivals {}", trial.text.empty() ? "" : ", ", pattern.text);
      std::mt19937 random(static_cast<unsigned>(ranks));
      for (int rank = 0; rank < ranks; ++rank) {
        trial.arrival_us.push_back(pattern.at(rank, ranks, random));
      }
      trial.message_us = pattern.message_us;
      all.push_back(std::move(trial));
    }
  }
  return all;
}

// The effect of the root on a schedule has little to do with the number of ranks.
constexpr int max_ranks_for_all_roots = 8;

/// Returns each trial with each rank as the root, or, with many ranks, with the first two, one in
/// the middle, and the last.
std::vector<Trial> with_roots(const std::vector<Trial>& before, int ranks) {
  std::set<int> roots{0, 1, ranks / 2, ranks - 1};
  if (ranks <= max_ranks_for_all_roots) {
    for (int root = 0; root < ranks; ++root) roots.insert(root);
  }
  std::vector<Trial> all;
  for (const Trial& one : before) {
    for (const int root : roots) {
      if (root >= ranks) continue;
      Trial trial = one;
      trial.text += fmt::format("{}root {}", trial.text.empty() ? "" : ", ", root);
      trial.placement.root = root;
      all.push_back(std::move(trial));
    }
  }
  return all;
}

}  // namespace

algorithms::Problem Trial::problem(int ranks) const {
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.block_bytes = block_bytes;
  problem.arrival_us = arrival_us;
  if (problem.message_us <= 0) problem.message_us = message_us;
  problem.exits_us = &cost::exit_times_of_messages();
  return problem;
}

std::vector<Trial> trials(const algorithms::Choice& choice, int ranks,
                          const algorithms::Placement* given) {
  std::vector<Trial> all = with_parameters(choice, ranks);
  if (all.empty()) return all;
  if (given != nullptr) {
    for (Trial& trial : all) trial.placement = *given;
  } else if (choice.order != nullptr) {
    all = with_order(std::move(all), ranks);
  } else if (choice.algorithm->uses_nodes) {
    all = with_nodes(std::move(all), ranks);
  } else if (std::ranges::any_of(all, uses_network, &Trial::choice)) {
    all = with_switches(all, ranks);
  } else {
    add_orders(all, ranks);
  }
  if (choice.algorithm->is<algorithms::ByArrivals>()) all = with_arrivals(all, ranks);
  if (choice.algorithm->kind->has_root) all = with_roots(all, ranks);
  return all;
}

namespace {

// The largest number of ranks that has all trials, whatever number it is.
constexpr int max_ranks_for_all_trials = 64;
// More ranks draw one of so many trials.
constexpr std::size_t one_of = 6;

}  // namespace

std::vector<Trial> drawn(std::vector<Trial> all, int ranks) {
  if (ranks <= max_ranks_for_all_trials || std::has_single_bit(static_cast<unsigned>(ranks))) {
    return all;
  }
  std::erase_if(all, [&](const Trial& trial) {
    return why_not(*trial.choice.algorithm, trial.problem(ranks)).has_value();
  });
  const std::size_t wanted = (all.size() + one_of - 1) / one_of;
  std::mt19937 random(static_cast<unsigned>(ranks));
  for (std::size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end());
  return all;
}

}  // namespace gatherbench::proof
