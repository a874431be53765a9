// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::topology {

class SwitchTree;

/// Hosts, and the directed links that messages between them pass, as code that adds up loads sees
/// them: a switch tree or a torus. Ids of hosts and of links are dense and start at 0; every id
/// that goes in must be one that it gave out.
class Network {
 public:
  virtual ~Network() = default;

  [[nodiscard]] virtual int hosts() const = 0;
  [[nodiscard]] virtual const std::string& host_name(int host) const = 0;
  [[nodiscard]] virtual std::optional<int> find_host(std::string_view name) const = 0;
  /// Returns the host of this name. Throws InputError that begins with `option` and names the legal
  /// ones if there is none.
  [[nodiscard]] int require_host(std::string_view option, std::string_view name) const;

  /// Returns the number of directed links: one for each direction of each edge.
  [[nodiscard]] virtual int links() const = 0;
  struct LinkEnds {
    std::string_view from;  ///< name of a host or a switch
    std::string_view to;
  };
  [[nodiscard]] virtual LinkEnds link_ends(int link) const = 0;
  /// Returns the speed of a directed link, as a multiple of that of a host's link.
  [[nodiscard]] virtual double link_speed(int link) const = 0;
  /// Adds each directed link of the path from a host to another to `links`, in no special order;
  /// none if both are one host.
  virtual void add_links(int from_host, int to_host, std::vector<int>& links) const = 0;

  /// Returns this network if it is a switch tree; else null.
  [[nodiscard]] virtual const SwitchTree* tree() const { return nullptr; }

 protected:
  Network() = default;
  Network(const Network&) = default;
  Network(Network&&) = default;
  Network& operator=(const Network&) = default;
  Network& operator=(Network&&) = default;
};

}  // namespace gatherbench::topology
