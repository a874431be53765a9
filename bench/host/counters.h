// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Linux counts these on a node, whoever causes them: bytes of network cards, energy, throttling.
namespace gatherbench::bench {

/// A number that rises from the start of the machine on.
struct Counter {
  std::string name;         ///< SOURCE/.../WORD, "net/eth0/tx_bytes": unique on the node
  std::string unit;         ///< "B", "us": what one is
  std::uint64_t value = 0;  ///< in whole units
  std::uint64_t range = 0;  ///< after this it begins at 0 again; 0: it does not
  bool idle = false;        ///< of a card that has never carried anything
};

/// All counters of a node at one time.
struct Reading {
  /// A file that is there and tells nothing.
  struct Unreadable {
    std::string path;
    std::string why;  ///< "Permission denied"
  };
  std::vector<Counter> counters;
  std::vector<Unreadable> unreadable;
};

/// Reads all counters from the files of /proc and /sys below `root`.
Reading read_counters(const std::filesystem::path& root);

/// Names the sources that have no counters, or some that cannot be read: "no infiniband; energy: 2
/// cannot be read (Permission denied: PATH)". Empty: all have some.
std::string describe_left_out(const std::filesystem::path& root);

}  // namespace gatherbench::bench
