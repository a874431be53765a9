// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/trace/block.h"
#include "formats/trace/record.h"

// The file that one rank leaves under libagtrace.so (docs/reference/trace_file.md);
// agreport/trace/ranks.py reads the same.
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

/// The records of a file while it is read. Blocks wait, as bytes, for the checksum that is of them;
/// then those of one operation are kept, so that a long trace needs no memory for all.
class ProvenRecords {
 public:
  explicit ProvenRecords(std::string_view operation) : operation_(operation) {}

  void set_operations(std::string_view names);
  void add(const TraceBlock& packed);
  /// Adds records as they lie in memory.
  void add(std::string_view records);

  /// Returns which records wait, such as "records 3 to 4", or "no records".
  [[nodiscard]] std::string waiting() const;
  /// Takes the waiting records as proven: counts all of them and keeps those of the operation.
  /// Returns what is wrong with them, or an empty text.
  std::string accept(RankTrace& trace);

 private:
  bool unpack(const TraceBlock& block);
  std::string take(RankTrace& trace);
  [[nodiscard]] std::string_view fault_of(const TraceRecord& record, const RankTrace& trace) const;

  std::string_view operation_;
  std::vector<std::string> operations_;
  std::vector<TraceBlock> waiting_;   // without kinds: as they lie in memory
  std::vector<TraceRecord> records_;  // of a block
  TraceUnpacker unpacker_;
  std::size_t accepted_ = 0;
};

/// Reads the bytes of a file, keeping the records of one operation ("MPI_Allgather"). Records
/// behind the last checksum, where a kill cut the file off, are not taken. Throws
/// text::InputError, one line with `option`, the path and the line or the record, if the file was
/// altered, is no trace, or has a record that cannot have been.
RankTrace read_rank_trace(std::string_view option, std::string_view path, std::string_view data,
                          std::string_view operation);

}  // namespace gatherbench::formats
