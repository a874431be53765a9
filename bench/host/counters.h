// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/host/nodes.h"
#include "formats/row.h"

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

/// Returns by how much each counter of either reading rose, in their order. A counter has a reason
/// instead if it went backwards and does not tell where it begins again, or if it came or went in
/// between. Cards that have never carried anything are left out.
std::vector<formats::CounterChange> find_changes(const Reading& before, const Reading& after);

/// Writes changes as lines, and reads them back.
std::string text_of(const std::vector<formats::CounterChange>& changes);
std::vector<formats::CounterChange> changes_in(std::string_view text);

/// Reads the counters of every host before and after what is timed; the lowest rank of a host reads
/// for it.
class CounterRecorder {
 public:
  /// `root`: where /proc and /sys are. Throws InputError on every rank alike if no host has any
  /// counter. Collective over `world`, which must outlive it.
  CounterRecorder(const Nodes& nodes, MPI_Comm world, std::filesystem::path root);

  /// Returns what is not recorded, and on which hosts; the same on every rank. Empty: nothing is
  /// left out.
  [[nodiscard]] const std::string& left_out() const { return left_out_; }

  /// Reads the counters before what is timed. All ranks leave together, so that no rank's first
  /// call waits for one that still reads. Collective.
  void begin();
  /// Reads the counters again when all ranks are here, after so many calls, whether they were timed
  /// or not. Collective.
  void end(std::int64_t calls);
  /// Returns on rank 0 what happened in between, by host. Collective.
  [[nodiscard]] std::vector<formats::CounterChange> gather() const;

 private:
  std::vector<std::string> host_of_reader_;  // by rank; empty: another one reads
  MPI_Comm world_;
  std::filesystem::path root_;
  bool reads_ = false;
  std::string left_out_;
  Reading before_;
  Reading after_;
  std::int64_t start_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t calls_ = 0;  // between the two readings
};

}  // namespace gatherbench::bench
