// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "algorithms/topology/network.h"

namespace gatherbench::topology {

/// A tree of switches with hosts on them: G = (S u M, E) of Faraj 2006, section 3.3. Any switch may
/// have hosts. A value.
///
/// Ids of switches are dense and start at 0, in depth-first order from the root: switch 0 is the
/// root, and a switch comes before those below it, which follow in the order of its Switches= list.
/// Hosts are numbered in that order of their switches, those of one switch in the order of its
/// Nodes= list.
class SwitchTree final : public Network {
 public:
  /// From the text of a file as topology_file.h says. Throws InputError, "FILE:LINE:
  /// reason": what is not that syntax; a file without a switch (no line); a switch or a host that
  /// stands twice; a switch in Switches= that no line defines; a switch below two others; a cycle;
  /// several roots.
  static SwitchTree parse(std::string_view file_name, std::string_view text);

  static constexpr int root = 0;
  [[nodiscard]] int switches() const { return static_cast<int>(parent_.size()); }
  [[nodiscard]] int hosts() const override { return static_cast<int>(switch_of_.size()); }

  [[nodiscard]] const std::string& switch_name(int id) const { return at(switch_names_, id); }
  [[nodiscard]] const std::string& host_name(int host) const override {
    return at(host_names_, host);
  }
  [[nodiscard]] std::optional<int> find_host(std::string_view name) const override;

  /// The switch that a host is on.
  [[nodiscard]] int switch_of(int host) const { return at(switch_of_, host); }
  /// The switch above; -1 for the root.
  [[nodiscard]] int parent(int id) const { return at(parent_, id); }
  /// The switches directly below.
  [[nodiscard]] std::span<const int> children(int id) const;
  /// The hosts directly on a switch: consecutive ids.
  [[nodiscard]] std::span<const int> hosts_on(int id) const;

  [[nodiscard]] int links() const override { return 2 * (hosts() + switches() - 1); }
  [[nodiscard]] LinkEnds link_ends(int link) const override;
  /// LinkSpeed= of the switch at its lower end; 1 for a host's link.
  [[nodiscard]] double link_speed(int link) const override;
  /// Of the links between a switch and the one above it.
  [[nodiscard]] double uplink_speed(int id) const { return at(link_speed_, id); }

  void add_links(int from_host, int to_host, std::vector<int>& links) const override;

  [[nodiscard]] const SwitchTree* tree() const override { return this; }

  /// The number of switches on the path between two hosts, Faraj's length: 1 for two hosts on one
  /// switch, 0 for a host and itself.
  [[nodiscard]] int path_length(int from_host, int to_host) const;

 private:
  SwitchTree() = default;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

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
  std::unordered_map<std::string, int, Hash, std::equal_to<>> host_by_name_;
};

}  // namespace gatherbench::topology
