// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/network.h"

#include "formats/text/input_error.h"

namespace gatherbench::topology {

int Network::require_host(std::string_view option, std::string_view name) const {
  if (const std::optional<int> host = find_host(name)) return *host;
  std::vector<std::string_view> known;
  for (int host = 0; host < hosts(); ++host) known.push_back(host_name(host));
  throw text::unknown_name(option, "host of --topology", name, known);
}

}  // namespace gatherbench::topology
