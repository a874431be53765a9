// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/trials.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <set>
#include <utility>

#include "algorithms/parameter_text.h"

namespace gatherbench::analysis {
namespace {

/// Trials of the values that a parameter, whose default is visited, should be tried with.
struct TrialsOfParameter {
  const algorithms::Choice& choice;
  int ranks;

  [[nodiscard]] Trial with(const algorithms::ParameterValue& value) const {
    Trial trial{.text = fmt::format("{}={}", choice.algorithm->parameter->name, to_text(value)),
                .choice = choice};
    trial.choice.parameter = value;
    return trial;
  }
  [[nodiscard]] std::vector<Trial> as_it_is() const {
    return {Trial{.text = {}, .choice = choice}};
  }

  std::vector<Trial> operator()(std::monostate) const { return as_it_is(); }
  /// Small ones, and the largest.
  std::vector<Trial> operator()(algorithms::Count) const {
    const std::int64_t min = choice.algorithm->parameter->min;
    std::vector<Trial> all;
    for (const std::int64_t value : std::set<std::int64_t>{
             min, min + 1, min + 2, min + 5, std::max<std::int64_t>(ranks - 2, min)}) {
      all.push_back(with(algorithms::Count{value}));
      if (!algorithms::parameter_in_range(all.back().choice, ranks)) all.pop_back();
    }
    return all;
  }
  /// One segment a block, and three, the last one shorter.
  std::vector<Trial> operator()(algorithms::Bytes) const {
    std::vector<Trial> all;
    for (const std::int64_t segment : {100, 4}) {
      all.push_back(with(algorithms::Bytes{segment}));
      all.back().text += ", c=10";
      const int blocks = choice.algorithm->kind->blocks(ranks);
      all.back().block_bytes.assign(static_cast<std::size_t>(blocks), 10);
    }
    return all;
  }
  /// Times are tried by with_arrivals.
  std::vector<Trial> operator()(const algorithms::MessageTime&) const { return as_it_is(); }
  std::vector<Trial> operator()(const algorithms::Algorithm*) const {
    std::vector<Trial> all;
    for (const algorithms::Algorithm& inner : algorithms::all_algorithms()) {
      if (inner.can_be_inner) all.push_back(with(&inner));
    }
    return all;
  }
};

/// Each value of the parameter, unless the user gave one.
std::vector<Trial> with_parameters(const algorithms::Choice& choice, int ranks) {
  const TrialsOfParameter trials_of{choice, ranks};
  if (!choice.variant.empty()) return trials_of.as_it_is();
  return std::visit(trials_of, default_value(*choice.algorithm));
}

struct Arrangement {
  std::string_view text;
  int (*node)(int rank, int ranks);
};
// The last number of ranks on a node is another one for most p.
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
      // The first inner algorithm in every arrangement; all of them in the hardest one.
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

/// Switches with 4 hosts each: in a chain, or below others without hosts.
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

std::vector<Trial> with_switches(const std::vector<Trial>& before, int ranks) {
  std::vector<Trial> all;
  for (const Trial& one : before) {
    for (const bool chain : {true, false}) {
      for (const int ranks_on_host : {1, 3}) {
        const int hosts = (ranks + ranks_on_host - 1) / ranks_on_host;
        Trial trial = one;
        trial.text =
            fmt::format("{} of switches, hosts of {}", chain ? "chain" : "tree", ranks_on_host);
        auto tree = std::make_shared<const topology::SwitchTree>(
            topology::SwitchTree::parse("pretended", pretended_tree(hosts, chain)));
        trial.placement = algorithms::pretended_placement(ranks, ranks_on_host, std::move(tree));
        all.push_back(std::move(trial));
      }
    }
  }
  return all;
}

/// When ranks arrive, in microseconds, where a message takes one.
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
constexpr int max_ranks_for_all_arrivals = 100;

std::vector<Trial> with_arrivals(const std::vector<Trial>& before, int ranks) {
  std::vector<Trial> all;
  for (const Trial& one : before) {
    for (const Arrivals& pattern : arrivals) {
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

}  // namespace

algorithms::Problem Trial::problem(int ranks) const {
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.block_bytes = block_bytes;
  problem.arrival_us = arrival_us;
  if (problem.message_us <= 0) problem.message_us = message_us;
  return problem;
}

std::vector<Trial> trials(const algorithms::Choice& choice, int ranks,
                          const algorithms::Placement* given) {
  std::vector<Trial> all = with_parameters(choice, ranks);
  if (given != nullptr) {
    for (Trial& trial : all) trial.placement = *given;
  } else if (choice.algorithm->uses_nodes) {
    all = with_nodes(std::move(all), ranks);
  } else if (choice.algorithm->contention_free) {
    all = with_switches(all, ranks);
  }
  if (choice.algorithm->uses_arrivals) all = with_arrivals(all, ranks);
  return all;
}

}  // namespace gatherbench::analysis
