// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/rank_tree.h"

namespace gatherbench::topology {
namespace {

std::size_t at(int node) { return static_cast<std::size_t>(node); }

}  // namespace

RankTree::RankTree(const SwitchTree& tree, std::span<const int> host)
    : ranks_(static_cast<int>(host.size())), first_rank_(tree.switches() + tree.hosts()) {
  for (int id = 0; id < tree.switches(); ++id) parent_.push_back(tree.parent(id));
  for (int id = 0; id < tree.hosts(); ++id) parent_.push_back(tree.switch_of(id));
  for (const int id : host) parent_.push_back(tree.switches() + id);
  below_.assign(parent_.size(), 0);
  depth_.assign(parent_.size(), 0);
  children_.resize(parent_.size());
  // A switch comes before those below it.
  for (int node = 0; node < nodes(); ++node) {
    if (parent(node) < 0) continue;
    children_[at(parent(node))].push_back(node);
    depth_[at(node)] = depth_[at(parent(node))] + 1;
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    for (int node = node_of(rank); node >= 0; node = parent(node)) ++below_[at(node)];
  }
}

std::vector<int> RankTree::neighbours(int node) const {
  std::vector<int> found;
  if (parent(node) >= 0 && below(node) < ranks_) found.push_back(parent(node));
  for (const int child : children_[at(node)]) {
    if (below(child) > 0) found.push_back(child);
  }
  return found;
}

std::vector<int> RankTree::ranks_behind(int node, int neighbour) const {
  std::vector<int> found;
  const int top = parent(neighbour) == node ? neighbour : node;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (is_below(node_of(rank), top) == (top == neighbour)) found.push_back(rank);
  }
  return found;
}

std::vector<int> RankTree::path(int from_rank, int to_rank) const {
  std::vector<int> links;
  int from = node_of(from_rank);
  int to = node_of(to_rank);
  while (from != to) {
    int& deeper = depth_[at(from)] >= depth_[at(to)] ? from : to;
    links.push_back(2 * deeper + (&deeper == &to ? 1 : 0));
    deeper = parent(deeper);
  }
  return links;
}

bool RankTree::is_below(int node, int top) const {
  while (node >= 0 && node != top) node = parent(node);
  return node == top;
}

}  // namespace gatherbench::topology
