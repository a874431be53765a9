// SPDX-License-Identifier: BSD-3-Clause
//
// That the optimal ring is: compared with all rings of few hosts, and with the tables of Faraj's
// Algorithm 3 as he defines them, over all orders of the subtrees of each switch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "algorithms/topology/host_rings.h"
#include "tests/algorithms/topology/random_trees.h"

namespace gatherbench::topology {
namespace {

bool contention_free(const SwitchTree& tree, const std::vector<int>& ring) {
  std::vector<bool> used(static_cast<std::size_t>(tree.links()));
  std::vector<int> links;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    tree.add_links(ring[i], ring[(i + 1) % ring.size()], links);
  }
  for (const int link : links) {
    if (used[static_cast<std::size_t>(link)]) return false;
    used[static_cast<std::size_t>(link)] = true;
  }
  return true;
}

/// The shortest longest path of all contention-free rings of these hosts.
int shortest_of_all(const SwitchTree& tree, std::vector<int> ring) {
  int shortest = std::numeric_limits<int>::max();
  std::ranges::sort(ring);
  do {
    if (contention_free(tree, ring)) shortest = std::min(shortest, longest_path(tree, ring));
  } while (std::next_permutation(ring.begin() + 1, ring.end()));
  return shortest;
}

TEST(OptimalRing, IsAsGoodAsAnyOfFewHosts) {
  std::mt19937 random(3);
  std::map<int, int> seen;
  for (int i = 0; i < 600; ++i) {
    const SwitchTree tree = random_tree(random, 1 + static_cast<int>(draw(random, 6)),
                                        1 + static_cast<int>(draw(random, 10)));
    std::vector<int> hosts = random_hosts(random, tree);
    if (hosts.size() > 7) hosts.resize(7);
    const std::vector<int> ring = optimal_ring(tree, hosts);
    ASSERT_TRUE(contention_free(tree, ring)) << i;
    const int shortest = shortest_of_all(tree, hosts);
    EXPECT_EQ(longest_path(tree, ring), shortest) << i;
    EXPECT_EQ(!why_not_in_two_hops(tree, hosts).has_value(), shortest <= 2) << i;
    ++seen[shortest];
  }
  for (const int length : {1, 2, 3, 4, 5}) EXPECT_GT(seen[length], 5) << length;
}

/// A.optimal[i][j]: by heights of first and last host, the longest path of the best array.
using Table = std::map<std::pair<int, int>, int>;

void lower(Table& table, int first, int last, int longest) {
  const auto [found, is_new] = table.emplace(std::pair(first, last), longest);
  found->second = std::min(found->second, longest);
}

Table concatenated(const Table& left, const Table& right) {
  Table result;
  for (const auto& [a, left_longest] : left) {
    for (const auto& [b, right_longest] : right) {
      lower(result, a.first, b.second,
            std::max({left_longest, right_longest, a.second + b.first + 1}));
    }
  }
  return result;
}

class AsPrinted {
 public:
  AsPrinted(const SwitchTree& tree, const std::vector<int>& hosts) : tree_(&tree), hosts_(hosts) {}

  /// Returns the longest path of the best ring, which has at least two hosts. 0: some switch has
  /// too many parts to try all orders.
  int longest() {
    std::vector<Table> parts = tables(SwitchTree::root);
    // Faraj's root has at least two subtrees.
    int id = SwitchTree::root;
    while (parts.size() == 1 && own_hosts(id) == 0) {
      for (const int child : tree_->children(id)) {
        if (tables(child).empty()) continue;
        id = child;
        break;
      }
      parts = tables(id);
    }
    const Table root = best_of_orders(parts);
    if (too_many_) return 0;
    int best = std::numeric_limits<int>::max();
    for (const auto& [ends, longest] : root) {
      best = std::min(best, std::max(longest, ends.first + ends.second + 1));
    }
    return best;
  }

 private:
  int own_hosts(int id) const {
    int count = 0;
    for (const int host : tree_->hosts_on(id)) {
      count += static_cast<int>(std::ranges::count(hosts_, host));
    }
    return count;
  }

  /// Returns the tables of the parts of a switch with hosts that take part.
  std::vector<Table> tables(int id) {
    std::vector<Table> parts(static_cast<std::size_t>(own_hosts(id)), Table{{{0, 0}, 0}});
    for (const int child : tree_->children(id)) {
      const std::vector<Table> inner = tables(child);
      if (inner.empty()) continue;
      Table& part = parts.emplace_back();
      for (const auto& [ends, longest] : best_of_orders(inner)) {
        part[{ends.first + 1, ends.second + 1}] = longest;
      }
    }
    return parts;
  }

  Table best_of_orders(std::vector<Table> parts) {
    Table best;
    if (parts.size() > 7) {
      too_many_ = true;
      return best;
    }
    std::ranges::sort(parts);
    do {
      Table sequence = parts[0];
      for (std::size_t i = 1; i < parts.size(); ++i) sequence = concatenated(sequence, parts[i]);
      for (const auto& [ends, longest] : sequence) lower(best, ends.first, ends.second, longest);
    } while (std::ranges::next_permutation(parts).found);
    return best;
  }

  const SwitchTree* tree_;
  std::vector<int> hosts_;
  bool too_many_ = false;
};

TEST(OptimalRing, IsAsGoodAsFarajsTables) {
  std::mt19937 random(4);
  std::map<int, int> seen;
  for (int i = 0; i < 1000; ++i) {
    const SwitchTree tree = random_tree(random, 2 + static_cast<int>(draw(random, 15)),
                                        2 + static_cast<int>(draw(random, 20)));
    const std::vector<int> hosts = random_hosts(random, tree);
    if (hosts.size() < 2) continue;
    const int longest = AsPrinted(tree, hosts).longest();
    if (longest == 0) continue;
    EXPECT_EQ(longest_path(tree, optimal_ring(tree, hosts)), longest) << i;
    ++seen[longest];
  }
  for (const int length : {1, 2, 3, 4, 5, 6}) EXPECT_GT(seen[length], 5) << length;
}

}  // namespace
}  // namespace gatherbench::topology
