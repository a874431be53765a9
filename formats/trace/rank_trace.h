// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/trace/record.h"

namespace gatherbench::formats {

/// A communicator, as one of its ranks sees it.
struct TraceMembership {
  std::int64_t id = 0;  ///< the same in all files
  int rank = 0;
  int ranks = 0;
};

/// The contents of one rank's file.
struct RankTrace {
  int rank = 0;
  int ranks = 0;
  std::string program;
  bool is_whole = false;                           ///< it ended in MPI_Finalize
  bool reached_limit = false;                      ///< of records (AGTRACE_LIMIT), and has no more
  bool is_checked = false;                         ///< there are checksums of what was read
  std::int64_t sample = 1;                         ///< it has one in so many (AGTRACE_SAMPLE)
  std::map<std::string, std::int64_t> calls = {};  ///< of each operation
  std::map<std::uint32_t, TraceMembership> communicators = {};  ///< by their numbers in the records
  std::vector<TraceRecord> records = {};                        ///< of the operation asked for

  /// Converts a time of the own clock to the clock that all ranks share, on the line through the
  /// last two points that the file has.
  [[nodiscard]] std::int64_t common_ns(std::int64_t own_ns) const;
  struct ClockPoint {
    std::int64_t own_ns;
    std::int64_t common_ns;
  };
  std::vector<ClockPoint> clock = {};  ///< in the order of the file
};

}  // namespace gatherbench::formats
