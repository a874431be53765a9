// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "algorithms/topology/switch_tree.h"
#include "formats/fnv1a.h"
#include "runtime/policies/profile.h"

namespace gatherbench::policies {
namespace {

/// A hash of whole numbers, byte by byte.
class Hash {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) hash_(number >> (8 * byte) & 0xff);
  }
  void add(int number) { add(static_cast<std::uint64_t>(number)); }
  /// Never 0, which says that there is none.
  [[nodiscard]] std::uint64_t value() const { return std::max<std::uint64_t>(hash_.value(), 1); }

 private:
  formats::Fnv1a hash_;
};

/// The node of every rank, numbered as they come: which ranks share one does not depend on numbers.
std::vector<int> numbered_as_they_come(const std::vector<int>& node, int ranks) {
  if (node.empty()) return std::vector<int>(static_cast<std::size_t>(ranks), 0);
  std::vector<int> seen;
  std::vector<int> numbers;
  for (const int each : node) {
    const auto found = std::ranges::find(seen, each);
    numbers.push_back(static_cast<int>(found - seen.begin()));
    if (found == seen.end()) seen.push_back(each);
  }
  return numbers;
}

std::uint64_t hash_of_switches(const algorithms::Placement& placement) {
  if (placement.network == nullptr || placement.network->tree() == nullptr) return 0;
  const topology::SwitchTree& tree = *placement.network->tree();
  Hash hash;
  hash.add(tree.switches());
  for (int id = 0; id < tree.switches(); ++id) hash.add(tree.parent(id));
  for (const int host : placement.host) {
    hash.add(host);
    hash.add(tree.switch_of(host));
  }
  return hash.value();
}

}  // namespace

ProfileKey profile_key(std::string_view collective, const algorithms::Placement& placement,
                       int ranks, std::int64_t bytes) {
  const std::vector<int> node = numbered_as_they_come(placement.node, ranks);
  Hash hash;
  for (const int each : node) hash.add(each);
  return {.collective = std::string(collective),
          .ranks = ranks,
          .nodes = 1 + *std::ranges::max_element(node),
          .placement = hash.value(),
          .switches = hash_of_switches(placement),
          .bytes = bytes};
}

}  // namespace gatherbench::policies
