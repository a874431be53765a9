// SPDX-License-Identifier: BSD-3-Clause
//
// Two trees: the vector goes up two binary trees over all ranks but the root, every other segment
// up the one, the rest up the other. Each rank is a leaf of one of them at least, so that all send
// and receive all the time. Each of the messages from a child to its parent has one of two colours,
// so that no rank sends two of a colour, or receives two: messages go in turns, one colour in even
// turns, the other in odd ones.
//
// Steps   about 2 (segments of a tree + its height), one after the other
// Cost    4 (log2 p - 1) alpha + 4 sqrt((log2 p - 1) alpha m beta / 2) + m beta + 2 m gamma, as
//         Marendic et al. have it
// Limits  operators that commute
// Memory  a vector where that is not the root, and a segment for what comes in
// Source  Sanders, Speck, Traeff 2009; the trees are those of NCCL; O(p) time for a schedule
//
//   p = 6, root 0   tree A: 4 over 2 and 5, 2 over 1 and 3   tree B: its ranks one further
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "algorithms/reduce/segment_gather.h"

namespace gatherbench::algorithms {
namespace {

constexpr int trees = 2;
constexpr int trees_root = 0;

/// The edge from a rank to its parent in a tree.
struct EdgeName {
  int tree;
  int rank;
};

struct Edge {
  int parent = -1;
  std::optional<EdgeName> sibling = {};  ///< the other edge to that parent, of either tree
  int colour = -1;
  int first_turn = 0;  ///< of its first segment; the others follow every other turn
};

/// Two in-order trees over the places 1 to n: places of odd number are leaves. A rank at place v of
/// the first tree is at place v - 1 of the second, or at place v counted from the other end, so
/// that no rank has children in both.
class TwoTrees {
 public:
  explicit TwoTrees(int ranks) : ranks_(ranks), n_(ranks - 1) {
    for (auto& tree : edges_) tree.resize(static_cast<std::size_t>(ranks));
    if (n_ == 0) return;
    for (int tree = 0; tree < trees; ++tree) {
      const auto top = static_cast<int>(std::bit_floor(static_cast<unsigned>(n_)));
      edge(tree, rank_at(tree, top)).parent = trees_root;
      for (int place = 1; place <= n_; ++place) add_children(tree, place);
    }
    find_siblings();
    colour_all();
    for (int tree = 0; tree < trees; ++tree) find_turns(tree);
  }

  [[nodiscard]] const Edge& up(int tree, int rank) const {
    return edges_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(rank)];
  }

 private:
  Edge& edge(int tree, int rank) {
    return edges_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(rank)];
  }
  Edge& edge(const EdgeName& name) { return edge(name.tree, name.rank); }
  /// Returns the rank at a place of a tree. The second tree is the first one mirrored if the number
  /// of places is even, since odd places become even ones then; otherwise it is shifted.
  [[nodiscard]] int rank_at(int tree, int place) const {
    if (tree == 0) return place;
    return n_ % 2 == 0 ? n_ + 1 - place : place % n_ + 1;
  }
  void add_children(int tree, int place) {
    const int low = place & -place;
    if (low == 1) return;
    edge(tree, rank_at(tree, place - low / 2)).parent = rank_at(tree, place);
    for (int step = low / 2; step >= 1; step /= 2) {
      if (place + step > n_) continue;
      edge(tree, rank_at(tree, place + step)).parent = rank_at(tree, place);
      return;
    }
  }
  /// Finds the other edge to each edge's parent; no rank receives on more than two edges.
  void find_siblings() {
    std::vector<std::optional<EdgeName>> first_to(static_cast<std::size_t>(ranks_));
    for (int tree = 0; tree < trees; ++tree) {
      for (int rank = 1; rank < ranks_; ++rank) {
        const EdgeName name{tree, rank};
        std::optional<EdgeName>& first = first_to[static_cast<std::size_t>(edge(name).parent)];
        if (first) {
          edge(name).sibling = first;
          edge(*first).sibling = name;
        } else {
          first = name;
        }
      }
    }
  }
  /// Colours all edges. They meet in pairs: the two that a rank sends on, and the two that it
  /// receives on. So they form paths, and circles of even length, along which colours take turns.
  void colour_all() {
    for (int tree = 0; tree < trees; ++tree) {
      for (int rank = 1; rank < ranks_; ++rank) {
        Edge& begin = edge(tree, rank);
        if (begin.colour >= 0) continue;  // and all of its path
        begin.colour = 0;
        colour_from({tree, rank}, true);
        colour_from({tree, rank}, false);
      }
    }
  }
  /// Colours the rest of a coloured edge's path, by way of its parent or of the rank that sends on
  /// it.
  void colour_from(const EdgeName& begin, bool by_parent) {
    int colour = edge(begin).colour;
    std::optional<EdgeName> next = met_by(begin, by_parent);
    while (next && edge(*next).colour < 0) {
      colour = 1 - colour;
      edge(*next).colour = colour;
      by_parent = !by_parent;
      next = met_by(*next, by_parent);
    }
  }
  std::optional<EdgeName> met_by(const EdgeName& name, bool at_parent) {
    return at_parent ? edge(name).sibling : EdgeName{1 - name.tree, name.rank};
  }
  /// Sets and returns the turn in which the rank sends its first segment, after its children's have
  /// come; it sets their turns, too. For the root it returns the turn after those of its children.
  int find_turn(int tree, int rank, const std::vector<std::vector<int>>& children) {
    int ready = 0;
    for (const int child : children[static_cast<std::size_t>(rank)]) {
      ready = std::max(ready, find_turn(tree, child, children) + 1);
    }
    if (rank == trees_root) return ready;
    Edge& own = edge(tree, rank);
    own.first_turn = ready % 2 == own.colour ? ready : ready + 1;
    return own.first_turn;
  }
  void find_turns(int tree) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(ranks_));
    for (int rank = 1; rank < ranks_; ++rank) {
      children[static_cast<std::size_t>(up(tree, rank).parent)].push_back(rank);
    }
    find_turn(tree, trees_root, children);
  }

  int ranks_;
  int n_;
  std::array<std::vector<Edge>, trees> edges_;
};

struct TreeMove {
  int turn;
  bool out;
  int peer;
  int segment;
};

/// Returns all that the rank sends and receives, in the order of the turns.
std::vector<TreeMove> moves_of(const Problem& problem) {
  const auto segments = static_cast<int>(problem.count());
  const TwoTrees both(problem.ranks);
  std::vector<TreeMove> moves;
  for (int tree = 0; tree < trees; ++tree) {
    const auto add = [&](int sender, bool out, int peer) {
      int turn = both.up(tree, sender).first_turn;
      for (int segment = tree; segment < segments; segment += trees, turn += 2) {
        moves.push_back({turn, out, peer, segment});
      }
    };
    if (problem.rank != trees_root) add(problem.rank, true, both.up(tree, problem.rank).parent);
    for (int rank = 1; rank < problem.ranks; ++rank) {
      if (both.up(tree, rank).parent == problem.rank) add(rank, false, rank);
    }
  }
  std::ranges::stable_sort(moves, {}, &TreeMove::turn);
  return moves;
}

Schedule two_tree_schedule(const Problem& problem) {
  Schedule schedule;
  schedule.segmentation = segments_of(problem);
  int turn = -1;
  for (const TreeMove& move : moves_of(problem)) {
    if (std::exchange(turn, move.turn) != move.turn) schedule.begin_step();
    if (move.out) schedule.send(move.peer, {move.segment, 1});
    if (!move.out) schedule.receive(move.peer, {move.segment, 1}, Incoming::combine_before);
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm reduce_two_tree{
    .name = "two_tree",
    .title = "Two trees",
    .summary = "segments up two binary trees at once",
    .source = "Sanders, Speck, Traeff 2009",
    .kind = &collectives::reduce,
    .parameters = {segments_parameter},
    .cuts_blocks = true,
    .growth = Growth::logarithmic,
    .steps = formulas::no_closed_form,
    .messages = Formula{"(p-1)N",
                        [](const Problem& problem) -> Amount {
                          return (problem.ranks - 1) * problem.count();
                        }},
    .bytes = vector_of_all,
    .how = Schedules{.of_rank = two_tree_schedule}};

}  // namespace gatherbench::algorithms
