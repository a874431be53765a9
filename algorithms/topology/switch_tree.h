// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/topology/host_list.h"
#include "algorithms/topology/network.h"

namespace gatherbench::topology {

class SwitchForest;
struct SwitchLine;

/// A tree of switches with hosts on them: G = (S u M, E) of Faraj 2006, section 3.3. Any switch may
/// have hosts. A value.
///
/// Ids of switches are dense and start at 0, in depth-first order from the root: switch 0 is the
/// root, and a switch comes before those below it, which follow in the order of its Switches= list.
/// Hosts are numbered in that order of their switches, those of one switch in the order of its
/// Nodes= list.
class SwitchTree final : public Network {
 public:
  /// Makes the tree from the text of a file in the syntax of topology_file.h. It is the part of the
  /// file that has the run's hosts: of several trees, the one that has them; of several topologies,
  /// the cluster's default if it has them all, else the first that does. Hosts that the file lacks
  /// do not matter here. Without hosts (pretended ones are those of the tree), it is the tree with
  /// most. Throws InputError, "FILE:LINE: reason", for a text that is not that syntax; for what
  /// SwitchForest refuses; for a file without a switch or without a host (no line); for hosts in
  /// several trees; for Nodes=ALL without hosts.
  static SwitchTree parse(std::string_view file_name, std::string_view text,
                          std::span<const std::string> hosts = {});

  /// Returns what was decided where the file leaves something open, to be told to people once.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  static constexpr int root = 0;
  [[nodiscard]] int switches() const { return static_cast<int>(parent_.size()); }
  [[nodiscard]] int hosts() const override { return static_cast<int>(switch_of_.size()); }

  [[nodiscard]] const std::string& switch_name(int id) const { return at(switch_names_, id); }
  [[nodiscard]] const std::string& host_name(int host) const override {
    return at(host_names_, host);
  }
  /// Finds a host as HostIndex does.
  [[nodiscard]] std::optional<int> find_host(std::string_view name) const override {
    return host_index_.find(name);
  }

  /// Returns the switch that a host is on.
  [[nodiscard]] int switch_of(int host) const { return at(switch_of_, host); }
  /// Returns the switch above; -1 for the root.
  [[nodiscard]] int parent(int id) const { return at(parent_, id); }
  /// Returns the switches directly below.
  [[nodiscard]] std::span<const int> children(int id) const;
  /// Returns the hosts directly on a switch, whose ids are consecutive.
  [[nodiscard]] std::span<const int> hosts_on(int id) const;

  [[nodiscard]] int links() const override { return 2 * (hosts() + switches() - 1); }
  [[nodiscard]] LinkEnds link_ends(int link) const override;
  /// Returns the LinkSpeed= of the switch at the link's lower end, added up over the links that
  /// count as one; 1 for a host's link.
  [[nodiscard]] double link_speed(int link) const override;
  /// Returns the speed of the links between a switch and the one above it, in each direction.
  [[nodiscard]] double uplink_speed(int id) const { return at(link_speed_, id); }

  void add_links(int from_host, int to_host, std::vector<int>& links) const override;

  [[nodiscard]] const SwitchTree* tree() const override { return this; }

  /// Returns the number of switches on the path between two hosts, Faraj's length: 1 for two hosts
  /// on one switch, 0 for a host and itself.
  [[nodiscard]] int path_length(int from_host, int to_host) const;

 private:
  SwitchTree() = default;

  void add_switches(const std::vector<SwitchLine>& lines, const SwitchForest& forest,
                    std::size_t top);

  template <typename T>
  static const T& at(const std::vector<T>& values, int id) {
    return values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] static std::span<const int> part_of(const std::vector<int>& values,
                                                    const std::vector<int>& begins, int id);
  [[nodiscard]] static int host_up_link(int host) { return 2 * host; }
  [[nodiscard]] int switch_up_link(int id) const { return 2 * (hosts() + id - 1); }

  std::vector<std::string> switch_names_;
  std::vector<int> parent_;
  std::vector<double> link_speed_;  // of each switch, to the one above
  std::vector<int> first_child_;    // in children_, of each switch, and the end
  std::vector<int> children_;
  std::vector<int> first_host_;  // of each switch, and the end
  std::vector<std::string> host_names_;
  std::vector<int> host_ids_;  // 0, 1, ..., for hosts_on()
  std::vector<int> switch_of_;
  HostIndex host_index_;
  std::vector<std::string> notes_;
};

}  // namespace gatherbench::topology
