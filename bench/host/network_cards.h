// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace gatherbench::bench {

/// This node's network cards that are up, from `sys/class/infiniband` and `sys/class/net` below
/// `root`: "mlx5_0 InfiniBand 200 Gb/sec (4X HDR), eth0 Ethernet 25 Gb/s (mlx5_core)", the latter
/// with the driver. A speed that is not told is left out; so are interfaces without a device
/// (bridges, a container's end of a pair). Empty: none is known.
std::string read_network_cards(const std::filesystem::path& root);

}  // namespace gatherbench::bench
