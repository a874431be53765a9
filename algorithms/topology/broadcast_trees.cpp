// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithm 5 makes tree(i, j) over the hosts i, i+1, ..., j of the order, whose root is i. Its
// children are i+1, the root of tree(i+1, k-1), and k, the root of tree(k, j), for a k with which
// the message from i to k shares no link with those of tree(i+1, k-1). All other messages share
// none because of the order.
//
//        s0: a b          order from a       a b c d e
//        |                linear tree        a>b b>c c>d d>e
//        s1: c d          binary tree        a>b a>c c>d c>e   height 2
//        |
//        s2: e
#include "algorithms/topology/broadcast_trees.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gatherbench::topology {
namespace {

/// Sets of links of the network, each of one bit a link.
class LinkSets {
 public:
  LinkSets(std::size_t sets, int links)
      : words_((static_cast<std::size_t>(links) + bits - 1) / bits), sets_(sets * words_, 0) {}

  void add(std::size_t set, std::span<const int> links) {
    for (const int link : links) word(set, link) |= bit(link);
  }
  void unite(std::size_t into, std::size_t from) {
    for (std::size_t i = 0; i < words_; ++i) sets_[into * words_ + i] |= sets_[from * words_ + i];
  }
  [[nodiscard]] bool has_any(std::size_t set, std::span<const int> links) const {
    return std::ranges::any_of(links, [&](int link) {
      return (sets_[set * words_ + static_cast<std::size_t>(link) / bits] & bit(link)) != 0;
    });
  }

 private:
  static constexpr std::size_t bits = 64;
  static std::uint64_t bit(int link) {
    return std::uint64_t{1} << (static_cast<std::size_t>(link) % bits);
  }
  std::uint64_t& word(std::size_t set, int link) {
    return sets_[set * words_ + static_cast<std::size_t>(link) / bits];
  }

  std::size_t words_;
  std::vector<std::uint64_t> sets_;
};

/// Makes and holds all tree(i, j), those of the last hosts first.
class BinaryTrees {
 public:
  BinaryTrees(const SwitchTree& tree, std::span<const int> order)
      : tree_(tree),
        order_(order),
        height_(order.size() * (order.size() + 1) / 2, 0),
        second_child_(height_.size(), 0),
        links_(height_.size(), tree.links()) {
    for (std::size_t i = order.size(); i > 0; --i) make_all_of(i - 1);
  }

  /// Returns the height of tree(0, j), in edges.
  [[nodiscard]] int height(std::size_t j) const { return height_[at(0, j)]; }
  void add_children(std::size_t i, std::size_t j, std::vector<std::vector<int>>& children) const {
    if (i >= j) return;
    children[i].push_back(static_cast<int>(i + 1));
    const std::size_t k = second_child_[at(i, j)];
    if (k == none) return;
    children[i].push_back(static_cast<int>(k));
    add_children(i + 1, k - 1, children);
    add_children(k, j, children);
  }

 private:
  /// Returns the index of tree(i, j), i <= j, in the lists.
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const { return j * (j + 1) / 2 + i; }
  [[nodiscard]] std::vector<int> path(std::size_t from, std::size_t to) const {
    std::vector<int> links;
    tree_.add_links(order_[from], order_[to], links);
    return links;
  }
  /// Makes each tree whose root is i.
  void make_all_of(std::size_t i) {
    std::vector<std::size_t> legal;  // second children that share no link with what is before them
    for (std::size_t j = i + 1; j < order_.size(); ++j) {
      // j = i+2 is always legal: tree(i+1, i+1) has one host and so no links.
      if (j > i + 1 && !links_.has_any(at(i + 1, j - 1), path(i, j))) legal.push_back(j);
      make(i, j, legal);
    }
  }
  void make(std::size_t i, std::size_t j, std::span<const std::size_t> legal) {
    const std::size_t own = at(i, j);
    links_.add(own, path(i, i + 1));
    height_[own] = 1;
    second_child_[own] = none;
    for (const std::size_t k : legal) {
      const int height = 1 + std::max(height_[at(i + 1, k - 1)], height_[at(k, j)]);
      if (second_child_[own] != none && height >= height_[own]) continue;
      height_[own] = height;
      second_child_[own] = k;
    }
    const std::size_t k = second_child_[own];
    if (k == none) return;
    links_.add(own, path(i, k));
    links_.unite(own, at(i + 1, k - 1));
    links_.unite(own, at(k, j));
  }

  static constexpr std::size_t none = 0;  // as the first host is never a second child
  const SwitchTree& tree_;
  std::span<const int> order_;
  std::vector<int> height_;
  std::vector<std::size_t> second_child_;
  LinkSets links_;
};

}  // namespace

std::vector<int> depth_first_from(const SwitchTree& tree, std::span<const int> hosts, int first) {
  std::vector<bool> takes_part(static_cast<std::size_t>(tree.hosts()));
  for (const int host : hosts) takes_part[static_cast<std::size_t>(host)] = true;
  std::vector<int> order{first};
  takes_part[static_cast<std::size_t>(first)] = false;
  struct Visit {
    int id;    // of a switch
    int from;  // the neighbour that it is reached from; -1: none
  };
  std::vector<Visit> open{{tree.switch_of(first), -1}};
  while (!open.empty()) {
    const Visit here = open.back();
    open.pop_back();
    for (const int host : tree.hosts_on(here.id)) {
      if (takes_part[static_cast<std::size_t>(host)]) order.push_back(host);
    }
    const std::span<const int> children = tree.children(here.id);
    for (std::size_t i = children.size(); i > 0; --i) {
      if (children[i - 1] != here.from) open.push_back({children[i - 1], here.id});
    }
    const int above = tree.parent(here.id);
    if (above >= 0 && above != here.from) open.push_back({above, here.id});
  }
  return order;
}

BinaryTree binary_broadcast_tree(const SwitchTree& tree, std::span<const int> order) {
  BinaryTree found{std::vector<std::vector<int>>(order.size()), 0};
  if (order.empty()) return found;
  const BinaryTrees trees(tree, order);
  trees.add_children(0, order.size() - 1, found.children);
  found.height = trees.height(order.size() - 1);
  return found;
}

}  // namespace gatherbench::topology
