// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/trace/record.h"

// A block of records as it lies in a trace (docs/reference/trace_file.md has the
// format; agreport/trace/blocks.py reads the same). Programs repeat their calls, so a record names
// its kind, in a table that each block has of its own. Table and records lie column by column: each
// number is told by what it adds to the one before, in as few bytes as the column needs. A column
// that grows evenly needs none.
namespace gatherbench::formats {

/// A block of records. The line `block` before it says how many records, kinds and bytes it has.
struct TraceBlock {
  static constexpr std::size_t most_records = 4096;  ///< few, as one long gap widens all of them
  static constexpr const char* kind_columns = "communicator site operation flags bytes total_bytes";
  static constexpr const char* record_columns = "kind skipped arrival_ns exit_ns";

  std::size_t records = 0;
  std::size_t kinds = 0;
  std::string_view bytes;
};

/// Calls are numbered on each communicator. A record says how many were skipped since the last one.
class CallNumbers {
 public:
  /// Returns the number of the communicator's next call, which the caller then raises.
  std::uint32_t& next(std::uint32_t communicator) {
    if (next_ == nullptr || communicator != last_) next_ = &all_[communicator];
    last_ = communicator;
    return *next_;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> all_;  // whose elements never move
  std::uint32_t last_ = 0;
  std::uint32_t* next_ = nullptr;
};

/// The values that all calls of a kind have in common.
struct TraceKind {
  std::uint32_t communicator;
  std::uint32_t site;
  TraceOperation operation;
  std::uint16_t flags;
  std::int64_t bytes;
  std::int64_t total_bytes;

  bool operator==(const TraceKind&) const = default;
};

/// Packs the blocks of a file, in their order.
class TracePacker {
 public:
  /// Packs at least one and at most `most_records` records; the block's bytes are there until the
  /// next call.
  TraceBlock pack(std::span<const TraceRecord> records);

 private:
  struct Hash {
    std::size_t operator()(const TraceKind& kind) const;
  };
  std::uint32_t number_of(const TraceKind& kind);
  template <class ValueOf>
  void add_column(std::size_t count, ValueOf value_of);

  std::vector<TraceKind> kinds_;  // of this block
  std::unordered_map<TraceKind, std::uint32_t, Hash> numbers_;
  std::vector<std::uint32_t> followers_;  // which came behind each kind the last time
  std::uint32_t last_kind_ = 0;
  CallNumbers calls_;
  std::vector<std::uint32_t> kind_of_;  // [record]
  std::vector<std::int32_t> skipped_;   // [record]
  std::vector<std::uint64_t> steps_;    // of a column
  std::string bytes_;
};

/// Unpacks the blocks of a file, in their order.
class TraceUnpacker {
 public:
  /// Adds the block's records behind those that are there. Returns false, and adds nothing, if it
  /// is no block.
  bool unpack(const TraceBlock& block, std::vector<TraceRecord>& records);

 private:
  CallNumbers calls_;
};

}  // namespace gatherbench::formats
