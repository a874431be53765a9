// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/choice.h"
#include "bench/duet/address.h"
#include "bench/options/notes.h"
#include "mpi/lowering.h"

namespace gatherbench::bench {

/// Which measurement follows which within a case.
enum class Order {
  interleaved,  ///< round by round, every algorithm once, in an order shuffled anew each round
  sequential,   ///< all iterations of an algorithm, then the next algorithm
};

/// How ranks lie on nodes.
enum class Mapping {
  as_launched,
  sequential,  ///< fill a node, then the next
  cyclic,      ///< one on each node in turn
};

/// How ranks are brought together before each iteration.
enum class Sync {
  barrier,         ///< the library's MPI_Barrier
  double_barrier,  ///< two of them: the second starts from what the first left
  dissemination,   ///< our own barrier, of log2(p) rounds, whatever the library has
  window,          ///< a start time that all agree on, by synchronised clocks
};

/// How a rank passes the time until it arrives.
enum class Hold {
  busy,   ///< looks at the clock all the time
  sleep,  ///< leaves the processor to others
};

/// What one launch is to do. Sizes in bytes, times in seconds.
struct Options {
  std::vector<std::int64_t> sizes;
  std::vector<algorithms::Choice> algorithms;
  std::string distributions = "regular";  ///< a list; files in it are read later, by rank 0
  std::string arrivals = "none";          ///< a list; traces in it are read later, by rank 0
  std::optional<double> compute = {};     ///< before the arrival pattern's delay; none: by need
  std::optional<Hold> hold = {};          ///< none: busy if ranks have a processor each
  std::optional<Sync> sync = {};          ///< none: by need
  std::vector<Mapping> mappings = {Mapping::as_launched};
  std::optional<std::int64_t> ranks_per_node;  ///< none: the nodes that there are
  std::string topology;                        ///< file of the switch tree; empty: none
  bool in_place = false;
  mpi::Noncontiguous noncontiguous = mpi::Noncontiguous::pipelined;

  std::optional<std::int64_t> iterations;  ///< none: OSU's, by size
  std::optional<std::int64_t> warmup;      ///< none: OSU's, by size
  Order order = Order::interleaved;
  std::uint64_t seed = 1;
  std::optional<double> precision;
  std::optional<double> max_time;
  double timeout = 300;
  std::optional<std::int64_t> mem_limit;

  bool full = false;
  bool validation = false;
  std::optional<std::int64_t> check_up_to;  ///< bytes of a block; none: all are checked
  std::vector<double> percentiles;
  bool progress = false;

  std::string output;
  bool resume = false;
  bool record_ranks = false;
  std::vector<Note> notes = {};
  std::optional<DuetAddress> duet = {};  ///< none: this job is alone
  bool list = false;
  bool dry_run = false;

  [[nodiscard]] std::int64_t iterations_at(std::int64_t bytes) const;
  [[nodiscard]] std::int64_t warmup_at(std::int64_t bytes) const;
  /// Whether results with blocks of this size are looked at.
  [[nodiscard]] bool checks(std::int64_t bytes) const {
    return !check_up_to || bytes <= *check_up_to;
  }
  /// What a result depends on, as key and value: for the file's metadata, and to tell whether
  /// --resume goes on with the same run.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> described() const;
};

std::string_view name_of(Mapping mapping);

}  // namespace gatherbench::bench
