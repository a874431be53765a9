// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "algorithms/topology/switch_lines.h"

namespace gatherbench::topology {

/// The connections of a file's switches: one tree or several.
///
/// Switches that are above the same switch or host are parallel (the spines of a fat tree, the two
/// rails of a rack) and count as one, of the first one's name, with the links of all. A host that
/// is also named by a switch above its own, as "scontrol show topology" does, is on the lower one.
class SwitchForest {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Throws InputError, "FILE:LINE: reason": a switch that stands twice, one in Switches= that no
  /// line defines, a cycle.
  /// The lines have to outlive it.
  explicit SwitchForest(const std::vector<SwitchLine>& lines);

  // A switch is meant by the index of its line, the first one of those that count as one.
  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t id) const {
    return children_[id];
  }
  [[nodiscard]] std::size_t parent(std::size_t id) const { return parent_[id]; }
  [[nodiscard]] const std::vector<const std::string*>& hosts(std::size_t id) const {
    return hosts_[id];
  }
  /// Speed of all its links to the switch above.
  [[nodiscard]] double link_speed(std::size_t id) const { return speed_[id]; }
  [[nodiscard]] const std::vector<std::size_t>& roots() const { return roots_; }
  /// A switch and all below it, in depth-first order.
  [[nodiscard]] std::vector<std::size_t> depth_first(std::size_t root) const;

  /// The root of the tree that has these hosts, of which those that no tree has do not count.
  /// Without any: the root with most hosts. Throws InputError if they are in several trees.
  [[nodiscard]] std::size_t root_of(std::span<const std::string> hosts) const;

  /// Returns true if there are hosts on or below a switch.
  [[nodiscard]] bool has_hosts(std::size_t root) const;

  /// Returns the decisions that were made: which switches count as one.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  std::size_t first_of(std::size_t id);
  void unite(std::size_t a, std::size_t b);
  void link_switches();
  /// The lowest switch of each host. What parallel switches share is united for that.
  using Places = std::unordered_map<std::string_view, std::size_t>;
  [[nodiscard]] Places lowest_places();
  void place_hosts();
  void arrange();
  void find_roots();
  [[noreturn]] void fail_for_cycle(std::size_t from) const;

  const std::vector<SwitchLine>* lines_;
  std::vector<std::size_t> same_as_;  // another line of the same switch; itself for the first
  std::vector<std::size_t> parent_;   // none: a root
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<const std::string*>> hosts_;
  std::vector<double> speed_;
  std::vector<std::size_t> roots_;
  std::vector<std::size_t> enter_;  // the switches below one are those from enter_ to leave_
  std::vector<std::size_t> leave_;
};

}  // namespace gatherbench::topology
