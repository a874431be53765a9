// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "algorithms/choice.h"
#include "algorithms/mesh.h"
#include "algorithms/node_groups.h"
#include "topology/host_rings.h"

namespace gatherbench::algorithms::needs {
namespace {

// A schedule has a step for each, and a plan some hundred bytes: not counted in --mem-limit.
constexpr std::int64_t most_segments = std::int64_t{1} << 20;

bool is_power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

std::string unless(bool good, std::string_view what, const Problem& problem) {
  return good ? std::string() : fmt::format("needs {}; ranks = {}", what, problem.ranks);
}

std::string no_tree(const Problem& problem) {
  return problem.switches == nullptr ? "needs a switch tree: --topology FILE" : "";
}

}  // namespace

const Needs even_ranks{"even p", [](const Problem& problem) {
                         return unless(problem.ranks % 2 == 0, "an even number of ranks", problem);
                       }};
const Needs power_of_two{"power-of-two p", [](const Problem& problem) {
                           return unless(is_power_of_two(problem.ranks),
                                         "a power-of-two number of ranks", problem);
                         }};
const Needs power_of_two_from_4{"power of two >= 4", [](const Problem& problem) {
                                  return unless(
                                      is_power_of_two(problem.ranks) && problem.ranks >= 4,
                                      "a power-of-two number of ranks, 4 or more", problem);
                                }};
const Needs three_ranks{"p >= 3", [](const Problem& problem) {
                          return unless(problem.ranks >= 3, "3 or more ranks", problem);
                        }};
const Needs two_factors{
    "p = x y, both > 1", [](const Problem& problem) {
      return unless(mesh_sides_2d(problem.ranks)[0] > 0,
                    "a number of ranks that is a product of two numbers of 2 or more", problem);
    }};
const Needs three_factors{
    "p = x y z, all > 1", [](const Problem& problem) {
      return unless(mesh_sides_3d(problem.ranks)[0] > 0,
                    "a number of ranks that is a product of three numbers of 2 or more", problem);
    }};
const Needs switch_tree{"a switch tree", no_tree};
const Needs two_hop_switch_tree{
    "a switch tree with hosts on all switches", [](const Problem& problem) {
      std::string reason = no_tree(problem);
      if (reason.empty()) {
        reason = topology::two_hop_obstacle(*problem.switches, problem.host);
      }
      return reason;
    }};
const Needs few_segments{
    "<= 2^20 segments", [](const Problem& problem) {
      std::int64_t segments = 0;
      for (int block = 0; block < problem.ranks && segments <= most_segments; ++block) {
        segments += std::max<std::int64_t>(1, (problem.bytes(block) - 1) / problem.parameter + 1);
      }
      return segments <= most_segments
                 ? std::string()
                 : fmt::format("needs larger segments than {} bytes: all blocks have more than {}",
                               problem.parameter, most_segments);
    }};
const Needs inner{
    "what the inner one needs of the nodes", [](const Problem& problem) {
      const Algorithm& chosen = all_algorithms()[static_cast<std::size_t>(problem.parameter)];
      const int nodes = node_groups(problem).count();
      const std::string reason = why_not(chosen, problem_for(choice_of(chosen), nodes));
      return reason.empty()
                 ? reason
                 : fmt::format("among the leaders of {} nodes {} {}", nodes, chosen.name, reason);
    }};

}  // namespace gatherbench::algorithms::needs
