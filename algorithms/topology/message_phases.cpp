// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/message_phases.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

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

namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

int most_loaded(const RankTree& tree) {
  int most = 0;
  for (int node = 1; node < tree.nodes(); ++node) {
    if (tree.load(node) > tree.load(most)) most = node;
  }
  return most;
}

/// Returns a node with at most half of the ranks behind each of its neighbours.
int find_root(const RankTree& tree) {
  const int link = most_loaded(tree);
  int before = link;
  int root = tree.parent(link);
  if (tree.ranks() - tree.below(link) < tree.below(link)) std::swap(root, before);
  while (true) {
    std::vector<int> branches = tree.neighbours(root);
    std::erase(branches, before);
    if (branches.size() != 1) return root;
    before = root;
    root = branches.front();
  }
}

/// Returns the ranks behind each neighbour of the root, the largest subtree first.
std::vector<std::vector<int>> find_subtrees(const RankTree& tree) {
  if (tree.ranks() == 2) return {{0}, {1}};
  const int root = find_root(tree);
  std::vector<std::vector<int>> subtrees;
  for (const int neighbour : tree.neighbours(root)) {
    subtrees.push_back(tree.ranks_behind(root, neighbour));
  }
  std::ranges::stable_sort(subtrees, std::ranges::greater(), &std::vector<int>::size);
  return subtrees;
}

/// Assigns the messages to phases by the steps of section 3.2.2. Ranks are counted within their
/// subtrees, 0 to sizes_[i] - 1.
class Assignment {
 public:
  explicit Assignment(const std::vector<std::vector<int>>& subtrees) : subtrees_(subtrees) {
    for (const std::vector<int>& one : subtrees) {
      before_.push_back(before_.back() + std::ssize(one));
      sizes_.push_back(std::ssize(one));
    }
    phases_ = sizes_[0] * (before_.back() - sizes_[0]);
    messages_.resize(at(phases_));
    sends_of_first_.resize(at(phases_));
    receives_of_first_.resize(at(phases_));
    from_first();
    to_first();
    among_others();
    within_first();
    for (std::size_t i = 1; i < subtrees.size(); ++i) within(i);
  }
  [[nodiscard]] std::vector<std::vector<RankMessage>> take() { return std::move(messages_); }

 private:
  /// Returns the first phase of messages from subtree i to subtree j.
  [[nodiscard]] std::int64_t start(std::size_t i, std::size_t j) const {
    return j > i ? sizes_[i] * (before_[j] - before_[i + 1])
                 : phases_ - sizes_[j] * (before_[i + 1] - before_[j + 1]);
  }
  void add(std::int64_t phase, std::size_t i, std::int64_t from, std::size_t j, std::int64_t to) {
    messages_[at(phase)].push_back({subtrees_[i][at(from)], subtrees_[j][at(to)]});
  }
  /// Returns (phase - phases_) mod sizes_[i], 0 or more.
  [[nodiscard]] std::int64_t aligned(std::int64_t phase, std::size_t i) const {
    const std::int64_t rest = (phase - phases_) % sizes_[i];
    return rest < 0 ? rest + sizes_[i] : rest;
  }

  void from_first() {
    for (std::size_t j = 1; j < sizes_.size(); ++j) {
      // Senders take turns for `rounds` rounds, after which pairs of sender and receiver would
      // repeat; so their order is rotated by one then.
      const std::int64_t rounds = sizes_[j] / std::gcd(sizes_[0], sizes_[j]);
      for (std::int64_t q = 0; q < sizes_[0] * sizes_[j]; ++q) {
        const std::int64_t rotation = q / (rounds * sizes_[0]);
        const std::int64_t sender = (q + rotation) % sizes_[0];
        const std::int64_t phase = start(0, j) + q;
        add(phase, 0, sender, j, aligned(phase, j));
        sends_of_first_[at(phase)] = sender;
      }
    }
  }
  void to_first() {
    for (std::size_t i = 1; i < sizes_.size(); ++i) {
      for (std::int64_t q = 0; q < sizes_[i] * sizes_[0]; ++q) {
        const std::int64_t phase = start(i, 0) + q;
        const std::int64_t receiver =
            (sends_of_first_[at(phase)] + phase / sizes_[0] + 1) % sizes_[0];
        add(phase, i, q / sizes_[0], 0, receiver);
        receives_of_first_[at(phase)] = receiver;
      }
    }
  }
  void among_others() {
    for (std::size_t i = 1; i < sizes_.size(); ++i) {
      for (std::size_t j = 1; j < sizes_.size(); ++j) {
        for (std::int64_t q = 0; i != j && q < sizes_[i] * sizes_[j]; ++q) {
          const std::int64_t phase = start(i, j) + q;
          add(phase, i, q / sizes_[j], j, i > j ? aligned(phase, j) : q % sizes_[j]);
        }
      }
    }
  }
  void within_first() {
    for (std::int64_t phase = 0; phase < sizes_[0] * (sizes_[0] - 1); ++phase) {
      add(phase, 0, receives_of_first_[at(phase)], 0, sends_of_first_[at(phase)]);
    }
  }
  /// Adds messages within a subtree while its ranks send to the subtree before: the rank that would
  /// receive there, if it were another rank's turn, sends to the rank that sends.
  void within(std::size_t i) {
    std::vector<char> done(at(sizes_[i] * sizes_[i]), 0);
    for (std::int64_t q = 0; q < sizes_[i] * sizes_[i - 1]; ++q) {
      const std::int64_t phase = start(i, i - 1) + q;
      const std::int64_t to = q / sizes_[i - 1];
      const std::int64_t from = aligned(phase, i);
      if (from == to || std::exchange(done[at(from * sizes_[i] + to)], 1) != 0) continue;
      add(phase, i, from, i, to);
    }
  }

  const std::vector<std::vector<int>>& subtrees_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> before_{0};  // ranks of the subtrees before each, and of all
  std::int64_t phases_;
  std::vector<std::vector<RankMessage>> messages_;
  std::vector<std::int64_t> sends_of_first_;     // of each phase, the rank of subtree 0 that sends
  std::vector<std::int64_t> receives_of_first_;  // and the one that receives
};

/// Finds which messages have to come before which: each before the next one on each of its links.
class Orders {
 public:
  Orders(const RankTree& tree, std::span<const std::vector<RankMessage>> phases) {
    std::vector<int> last(2 * at(tree.nodes()), -1);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      for (const RankMessage& message : phases[phase]) {
        const int number = static_cast<int>(messages_.size());
        messages_.push_back({static_cast<int>(phase), message, {}});
        for (const int link : tree.path(message.from, message.to)) {
          const int before = std::exchange(last[at(link)], number);
          if (before < 0) continue;
          std::vector<int>& next = messages_[at(before)].next;
          if (std::ranges::find(next, number) == next.end()) next.push_back(number);
        }
      }
    }
    visited_.assign(messages_.size(), -1);
  }

  [[nodiscard]] std::vector<Conflict> needed() {
    std::vector<Conflict> found;
    for (const Message& one : messages_) {
      for (const int later : one.next) {
        if (follows_from_others(one, later)) continue;
        const Message& other = messages_[at(later)];
        found.push_back({one.phase, one.message, other.phase, other.message});
      }
    }
    return found;
  }

 private:
  struct Message {
    int phase;
    RankMessage message;
    std::vector<int> next;
  };

  /// Returns true if `later` comes after another message that comes after `one`.
  bool follows_from_others(const Message& one, int later) {
    ++search_;
    std::vector<int> open;
    for (const int next : one.next) {
      if (next != later) open.push_back(next);
    }
    while (!open.empty()) {
      const int number = open.back();
      open.pop_back();
      if (number == later) return true;
      // The messages of a phase share no link, and those of later ones come too late.
      if (messages_[at(number)].phase >= messages_[at(later)].phase) continue;
      if (std::exchange(visited_[at(number)], search_) == search_) continue;
      const std::vector<int>& next = messages_[at(number)].next;
      open.insert(open.end(), next.begin(), next.end());
    }
    return false;
  }

  std::vector<Message> messages_;
  std::vector<std::int64_t> visited_;  // by which search
  std::int64_t search_ = 0;
};

}  // namespace

std::int64_t most_messages_on_a_link(const SwitchTree& tree, std::span<const int> host) {
  if (host.size() < 2) return 0;
  const RankTree ranks(tree, host);
  return ranks.load(most_loaded(ranks));
}

std::vector<std::vector<RankMessage>> message_phases(const SwitchTree& tree,
                                                     std::span<const int> host) {
  if (host.size() < 2) return {};
  const std::vector<std::vector<int>> subtrees = find_subtrees(RankTree(tree, host));
  return Assignment(subtrees).take();
}

std::vector<Conflict> needed_orders(const SwitchTree& tree, std::span<const int> host,
                                    std::span<const std::vector<RankMessage>> phases) {
  return Orders(RankTree(tree, host), phases).needed();
}

}  // namespace gatherbench::topology
