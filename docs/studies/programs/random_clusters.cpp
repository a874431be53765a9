// SPDX-License-Identifier: BSD-3-Clause
// Rings and broadcast trees on random switch trees: figures 3.25 and 3.29 of Faraj 2006.
//
//   g++ -std=c++20 -O2 -I. docs/studies/programs/random_clusters.cpp \
//       build/libgatherbench_core.a -lfmt -o build/random_clusters
//   build/random_clusters rings 50 80,160,320
//   build/random_clusters heights 20 64,128,256
//
// `rings` prints the mean of the longest paths, in switches, of the rings by algorithm 1 (LR1) and
// algorithm 3 (LR3) over so many random clusters of each number of machines. There are five times
// as many machines as switches, and twice as many links as switches (a mean degree of 4; Faraj has
// them from GT-ITM, here they are random pairs after those that connect all). The tree is the one
// of a breadth-first search, of a depth-first search, or of random links that close no loop.
// `refused`: clusters whose LR3 would take too much memory; they are in neither mean. `heights`
// prints the mean height of the trees by algorithm 5 on trees of random links, with 8 and 16
// machines a switch, and the height of a complete binary tree.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/topology/broadcast_trees.h"
#include "algorithms/topology/host_rings.h"
#include "algorithms/topology/switch_tree.h"

namespace {

using gatherbench::topology::SwitchTree;
using Links = std::vector<std::vector<int>>;  // of each switch, the switches next to it

std::mt19937 chance{1};

int draw(std::size_t below) { return static_cast<int>(chance() % below); }

std::vector<int>& at(Links& links, int id) { return links[static_cast<std::size_t>(id)]; }

int part_of(std::vector<int>& part, int id) {
  while (part[static_cast<std::size_t>(id)] != id) id = part[static_cast<std::size_t>(id)];
  return id;
}

// Random ones of the pairs, or of all pairs if there are none, that close no loop.
Links random_tree(std::size_t switches, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<int> part(switches);
  std::iota(part.begin(), part.end(), 0);
  Links tree(switches);
  for (std::size_t joined = 1; joined < switches;) {
    auto [a, b] = std::pair{draw(switches), draw(switches)};
    if (!pairs.empty()) std::tie(a, b) = pairs[static_cast<std::size_t>(draw(pairs.size()))];
    const int of_a = part_of(part, a);
    const int of_b = part_of(part, b);
    if (of_a == of_b) continue;
    part[static_cast<std::size_t>(of_a)] = of_b;
    at(tree, a).push_back(b);
    at(tree, b).push_back(a);
    ++joined;
  }
  return tree;
}

std::vector<std::pair<int, int>> pairs_of(const Links& links) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (const int b : links[a]) {
      if (static_cast<int>(a) < b) pairs.emplace_back(static_cast<int>(a), b);
    }
  }
  return pairs;
}

// Connected, with a mean degree of 4.
Links random_graph(std::size_t switches) {
  Links links = random_tree(switches, {});
  const std::size_t most = switches * (switches - 1) / 2;
  for (std::size_t count = switches - 1; count < std::min(2 * switches, most);) {
    const int a = draw(switches);
    const int b = draw(switches);
    if (a == b || std::ranges::count(at(links, a), b) > 0) continue;
    at(links, a).push_back(b);
    at(links, b).push_back(a);
    ++count;
  }
  return links;
}

// The tree on which a search from a random switch meets the others first.
Links search_tree(Links links, bool is_deep) {
  Links tree(links.size());
  std::vector<bool> met(links.size());
  std::vector<std::pair<int, int>> open{{-1, draw(links.size())}};
  for (std::size_t next = 0; next < open.size();) {
    const auto [from, id] = is_deep ? open.back() : open[next];
    if (is_deep) {
      open.pop_back();
    } else {
      ++next;
    }
    if (met[static_cast<std::size_t>(id)]) continue;
    met[static_cast<std::size_t>(id)] = true;
    if (from >= 0) {
      at(tree, from).push_back(id);
      at(tree, id).push_back(from);
    }
    std::ranges::shuffle(at(links, id), chance);
    for (const int other : at(links, id)) open.emplace_back(id, other);
  }
  return tree;
}

// As a file of Slurm's; a switch without machines on or below it is in none. Returns whether it is.
bool write(std::ostream& file, Links& tree, const std::vector<std::string>& nodes, int id,
           int from) {
  std::string below;
  for (const int other : at(tree, id)) {
    if (other == from || !write(file, tree, nodes, other, id)) continue;
    below += (below.empty() ? "" : ",") + ("s" + std::to_string(other));
  }
  const std::string& own = nodes[static_cast<std::size_t>(id)];
  if (below.empty() && own.empty()) return false;
  file << "SwitchName=s" << id;
  if (!below.empty()) file << " Switches=" << below;
  if (!own.empty()) file << " Nodes=" << own;
  file << '\n';
  return true;
}

SwitchTree with_machines(Links tree, int machines) {
  std::vector<std::string> nodes(tree.size());
  for (int n = 0; n < machines; ++n) {
    std::string& list = nodes[static_cast<std::size_t>(draw(tree.size()))];
    list += (list.empty() ? "n" : ",n") + std::to_string(n);
  }
  std::ostringstream file;
  write(file, tree, nodes, draw(tree.size()), -1);
  return SwitchTree::parse("random", file.str());
}

std::vector<int> hosts_of(const SwitchTree& tree) {
  std::vector<int> hosts(static_cast<std::size_t>(tree.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

void rings(int clusters, int machines) {
  const char* const names[] = {"breadth-first", "depth-first", "random"};
  double first[3] = {};
  double best[3] = {};
  int refused[3] = {};
  for (int cluster = 0; cluster < clusters; ++cluster) {
    const Links graph =
        random_graph(std::max<std::size_t>(2, static_cast<std::size_t>(machines) / 5));
    const Links trees[] = {search_tree(graph, false), search_tree(graph, true),
                           random_tree(graph.size(), pairs_of(graph))};
    for (int kind = 0; kind < 3; ++kind) {
      const SwitchTree tree = with_machines(trees[kind], machines);
      const std::vector<int> hosts = hosts_of(tree);
      namespace topology = gatherbench::topology;
      try {
        const int shortest = topology::longest_path(tree, topology::optimal_ring(tree, hosts));
        best[kind] += shortest;
        first[kind] += topology::longest_path(tree, topology::depth_first_ring(tree, hosts));
      } catch (const std::exception&) {
        ++refused[kind];
      }
    }
  }
  for (int kind = 0; kind < 3; ++kind) {
    const int drawn = clusters - refused[kind];
    std::printf("%d,%s,%.2f,%.2f,%d\n", machines, names[kind], first[kind] / drawn,
                best[kind] / drawn, refused[kind]);
  }
}

void heights(int clusters, int machines) {
  for (const int a_switch : {8, 16}) {
    double sum = 0;
    for (int cluster = 0; cluster < clusters; ++cluster) {
      const std::size_t switches = static_cast<std::size_t>(std::max(1, machines / a_switch));
      const SwitchTree tree = with_machines(random_tree(switches, {}), machines);
      const std::vector<int> hosts = hosts_of(tree);
      const std::vector<int> order =
          gatherbench::topology::depth_first_from(tree, hosts, draw(hosts.size()));
      sum += gatherbench::topology::binary_broadcast_tree(tree, order).height;
    }
    std::printf("%d,%d,%.2f,%d\n", machines, a_switch, sum / clusters,
                std::bit_width(static_cast<unsigned>(machines)) - 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 4 ? argv[1] : "";
  const int clusters = argc == 4 ? std::atoi(argv[2]) : 0;
  if ((what != "rings" && what != "heights") || clusters < 1) {
    std::fprintf(stderr, "usage: random_clusters rings|heights CLUSTERS MACHINES,...\n");
    return 2;
  }
  std::puts(what == "rings" ? "machines,tree,lr1,lr3,refused"
                            : "machines,a_switch,height,complete");
  std::istringstream list(argv[3]);
  for (std::string text; std::getline(list, text, ',');) {
    const int machines = std::atoi(text.c_str());
    if (machines < 2) {
      std::fprintf(stderr, "random_clusters: '%s' is no number of machines; legal: 2 or more\n",
                   text.c_str());
      return 2;
    }
    (what == "rings" ? rings : heights)(clusters, machines);
  }
}
