// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/topology/network.h"

namespace gatherbench::topology {

/// A torus: hosts on a grid of some dimensions, each joined to its neighbours along each of them,
/// the last one of a line with its first. A value.
///
/// Hosts are n0, n1, ... in row-major order: the last dimension changes fastest, as in `dims` of
/// the algorithms for tori. A host has two links out along each dimension, one each way, and as
/// many in; along a dimension of two hosts these are one. All links are of one speed, and all can
/// be busy at once: no port of the host is narrower than they are together.
///
/// A message passes one dimension after the other, the last one (that changes fastest) first, as in
/// SimGrid's torus; in each the shorter way round, and if both are equal, towards higher
/// coordinates, where SimGrid takes now the one, now the other.
class Torus final : public Network {
 public:
  /// The text of a torus begins with this.
  static constexpr std::string_view prefix = "torus:";

  /// Parses "torus:4x4", "torus:4x4x2", ...: two sides or more, of 2 hosts or more each, with at
  /// most 2^20 hosts. Throws InputError that names `option`.
  static Torus parse(std::string_view option, std::string_view text);

  [[nodiscard]] int hosts() const override { return static_cast<int>(host_names_.size()); }
  [[nodiscard]] const std::string& host_name(int host) const override {
    return host_names_[static_cast<std::size_t>(host)];
  }
  [[nodiscard]] std::optional<int> find_host(std::string_view name) const override;

  [[nodiscard]] int links() const override { return hosts() * links_of_host_; }
  [[nodiscard]] LinkEnds link_ends(int link) const override;
  [[nodiscard]] double link_speed(int /*link*/) const override { return 1; }
  void add_links(int from_host, int to_host, std::vector<int>& links) const override;

 private:
  struct Dimension {
    int side;
    int stride;      ///< between hosts that are neighbours along it
    int first_link;  ///< of a host's: that upwards; then that downwards, unless the side is 2
  };

  explicit Torus(const std::vector<int>& sides);

  [[nodiscard]] static int coordinate(int host, const Dimension& along) {
    return host / along.stride % along.side;
  }
  /// Returns the next host along a dimension, upwards if `by` is 1, downwards if it is -1.
  [[nodiscard]] static int neighbour(int host, const Dimension& along, int by);

  std::vector<Dimension> dimensions_;
  int links_of_host_ = 0;
  std::vector<std::string> host_names_;
};

/// Throws InputError that names `option` if the text is a torus, which stands where a switch tree
/// is needed.
void require_no_torus(std::string_view option, std::string_view text);

}  // namespace gatherbench::topology
