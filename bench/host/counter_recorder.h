// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/host/counters.h"
#include "bench/host/nodes.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// Returns by how much each counter of either reading rose, in their order. One that went
/// backwards, and does not tell where it begins again, came or went in between has a reason
/// instead. Cards that have never carried anything are left out.
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

  /// All ranks leave it together, so nobody's first call waits for who reads. Collective.
  void begin();
  /// Reads when all ranks are here. Collective.
  void end();
  /// Returns on rank 0 what happened in between, by host; `calls` is how many were timed.
  /// Collective.
  [[nodiscard]] std::vector<formats::CounterChange> gather(std::int64_t calls) const;

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
};

}  // namespace gatherbench::bench
