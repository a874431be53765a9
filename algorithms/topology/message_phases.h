// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// The phases in which each rank sends each other rank its message of an all-to-all, so that no two
// messages are on one link of a switch tree in one direction: Faraj 2006, section 3.2.
//
// `host` has the host of every rank. Ranks that share a host share its link, so a host with several
// ranks is taken for a switch with these ranks on it.
namespace gatherbench::topology {

/// Switches, hosts and ranks as the nodes of one tree, in this order. A link is named by the node
/// at its lower end.
class RankTree {
 public:
  /// `host` has the host of every rank.
  RankTree(const SwitchTree& tree, std::span<const int> host);

  [[nodiscard]] int nodes() const { return static_cast<int>(parent_.size()); }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Returns the node above; -1 for the root.
  [[nodiscard]] int parent(int node) const { return parent_[static_cast<std::size_t>(node)]; }
  /// Returns the number of ranks on or below a node.
  [[nodiscard]] int below(int node) const { return below_[static_cast<std::size_t>(node)]; }
  /// Returns how many messages of an all-to-all pass the link to the node above, in each direction.
  [[nodiscard]] std::int64_t load(int node) const {
    return static_cast<std::int64_t>(below(node)) * (ranks_ - below(node));
  }
  /// Returns the nodes next to this one that have ranks behind them, the one above first.
  [[nodiscard]] std::vector<int> neighbours(int node) const;
  [[nodiscard]] std::vector<int> ranks_behind(int node, int neighbour) const;
  /// Returns the directed links from a rank to another, in no special order: link 2 n leads up from
  /// node n, link 2 n + 1 down to it.
  [[nodiscard]] std::vector<int> path(int from_rank, int to_rank) const;

 private:
  [[nodiscard]] int node_of(int rank) const { return first_rank_ + rank; }
  [[nodiscard]] bool is_below(int node, int top) const;

  int ranks_;
  int first_rank_;
  std::vector<int> parent_;
  std::vector<int> below_;
  std::vector<int> depth_;
  std::vector<std::vector<int>> children_;
};

struct RankMessage {
  int from;
  int to;
  auto operator<=>(const RankMessage&) const = default;
};

/// Returns how many messages of an all-to-all pass the link that most of them pass, in one
/// direction. There cannot be fewer phases.
std::int64_t most_messages_on_a_link(const SwitchTree& tree, std::span<const int> host);

/// Returns the messages of each phase, which share no link. Each message of an all-to-all is there
/// once, in exactly most_messages_on_a_link() phases. A rank sends at most one message in a phase,
/// and receives one.
std::vector<std::vector<RankMessage>> message_phases(const SwitchTree& tree,
                                                     std::span<const int> host);

/// A message of a later phase that shares a link with one of an earlier phase.
struct Conflict {
  int phase;
  RankMessage message;
  int later_phase;
  RankMessage later;
  auto operator<=>(const Conflict&) const = default;
};

/// Returns the conflicts that do not follow from others: where these are kept in order, all are.
std::vector<Conflict> needed_orders(const SwitchTree& tree, std::span<const int> host,
                                    std::span<const std::vector<RankMessage>> phases);

}  // namespace gatherbench::topology
