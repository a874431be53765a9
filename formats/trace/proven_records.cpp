// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/proven_records.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/text/parse.h"

namespace gatherbench::formats {

void ProvenRecords::set_operations(std::string_view names) {
  for (const std::string_view name : text::split(names, ' ')) operations_.emplace_back(name);
}

void ProvenRecords::add(const TraceBlock& packed) { waiting_.push_back(packed); }

void ProvenRecords::add(std::string_view records) {
  if (const std::size_t count = records.size() / sizeof(TraceRecord); count > 0) {
    waiting_.push_back({count, 0, records.substr(0, count * sizeof(TraceRecord))});
  }
}

std::string ProvenRecords::waiting() const {
  if (waiting_.empty()) return "no records";
  std::size_t last = accepted_;
  for (const TraceBlock& block : waiting_) last += block.records;
  return fmt::format("records {} to {}", accepted_ + 1, last);
}

std::string ProvenRecords::accept(RankTrace& trace) {
  for (const TraceBlock& block : waiting_) {
    records_.clear();
    if (!unpack(block)) {
      return fmt::format("records {} to {}: they cannot be unpacked", accepted_ + 1,
                         accepted_ + block.records);
    }
    if (std::string fault = take(trace); !fault.empty()) return fault;
  }
  waiting_.clear();
  return {};
}

bool ProvenRecords::unpack(const TraceBlock& block) {
  if (block.kinds > 0) return unpacker_.unpack(block, records_);
  static_assert(std::endian::native == std::endian::little, "as the records in the file");
  records_.resize(block.records);
  std::memcpy(records_.data(), block.bytes.data(), block.bytes.size());
  return true;
}

std::string ProvenRecords::take(RankTrace& trace) {
  std::vector<std::int64_t> counts(operations_.size());
  for (const TraceRecord& record : records_) {
    ++accepted_;
    if (const std::string_view fault = fault_of(record, trace); !fault.empty()) {
      return fmt::format("record {}: {}", accepted_, fault);
    }
    const auto operation = static_cast<std::size_t>(record.operation);
    ++counts[operation];
    if (operations_[operation] == operation_) trace.records.push_back(record);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) trace.calls[operations_[i]] += counts[i];
  }
  return {};
}

/// Returns why the record cannot have been; empty: it can.
std::string_view ProvenRecords::fault_of(const TraceRecord& record, const RankTrace& trace) const {
  if (record.exit_ns < record.arrival_ns) return "it leaves before it arrives";
  if (record.bytes < 0 || record.total_bytes < 0) return "negative bytes";
  if (record.bytes >= TraceRecord::largest || record.total_bytes >= TraceRecord::largest) {
    return "too many bytes";
  }
  if (static_cast<std::size_t>(record.operation) >= operations_.size()) {
    return "an unknown operation";
  }
  if (!trace.communicators.contains(record.communicator)) return "an unknown communicator";
  return {};
}

}  // namespace gatherbench::formats
