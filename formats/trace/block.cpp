// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace gatherbench::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "as the numbers in the file");

/// The beginning of a column; numbers of `width` bytes follow, one fewer than it has values. All
/// sums are of 64 bits without a carry, so that each value comes out as it was.
struct ColumnHead {
  std::uint64_t first;
  std::uint64_t least_step;
  std::uint8_t width;

  static constexpr std::size_t size = 17;
};

std::uint8_t bytes_for(std::uint64_t number) {
  return static_cast<std::uint8_t>((std::bit_width(number) + 7) / 8);
}

template <class Number>
void add_number(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Stores the value in the field; returns false if the field cannot hold it.
template <class Field>
bool put(std::uint64_t value, Field& field) {
  if constexpr (std::is_enum_v<Field>) {
    std::underlying_type_t<Field> number{};
    if (!put(value, number)) return false;
    field = static_cast<Field>(number);
    return true;
  } else {
    field = static_cast<Field>(value);
    return static_cast<std::uint64_t>(field) == value;
  }
}

/// Takes column by column from the bytes of a block.
class Columns {
 public:
  explicit Columns(std::string_view bytes) : bytes_(bytes) {}

  /// Gives each of the next column's `count` values to `take(i, value)`. Returns false if there is
  /// no such column, or if `take` returns false, since a value cannot be.
  template <class Take>
  bool next(std::size_t count, Take take) {
    ColumnHead head{};
    if (!take_head(head) || head.width > sizeof(std::uint64_t)) return false;
    const std::size_t size = (count - 1) * head.width;
    if (bytes_.size() < size) return false;
    std::uint64_t value = head.first;
    const char* at = bytes_.data();
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) {
        std::uint64_t number = 0;
        std::memcpy(&number, at, head.width);
        at += head.width;
        value += head.least_step + number;
      }
      if (!take(i, value)) return false;
    }
    bytes_.remove_prefix(size);
    return true;
  }

  /// Reads the fields of all rows, a column for each field. Returns false where `next` does.
  template <class Row, class... Field>
  bool next_fields(std::vector<Row>& rows, Field Row::*... field) {
    return (
        next(rows.size(), [&](std::size_t i, auto value) { return put(value, rows[i].*field); }) &&
        ...);
  }

  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  bool take_head(ColumnHead& head) {
    if (bytes_.size() < ColumnHead::size) return false;
    std::memcpy(&head.first, bytes_.data(), sizeof head.first);
    std::memcpy(&head.least_step, bytes_.data() + 8, sizeof head.least_step);
    std::memcpy(&head.width, bytes_.data() + 16, sizeof head.width);
    bytes_.remove_prefix(ColumnHead::size);
    return true;
  }

  std::string_view bytes_;
};

/// Returns true if a block can have so many records and kinds.
bool is_possible(const TraceBlock& block) {
  const bool has_kinds = block.kinds >= 1 && block.kinds <= block.records;
  return has_kinds && block.records <= TraceBlock::most_records;
}

}  // namespace

std::size_t TracePacker::Hash::operator()(const TraceKind& kind) const {
  const std::uint64_t place = std::uint64_t{kind.communicator} << 32 | kind.site;
  const auto call = static_cast<std::uint64_t>(kind.operation) << 16 | kind.flags;
  std::uint64_t hash = 0;
  for (const std::uint64_t part : {place, call, static_cast<std::uint64_t>(kind.bytes),
                                   static_cast<std::uint64_t>(kind.total_bytes)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Returns the number of the kind in this block; a new one is added. Loops are looked up without a
/// hash: what followed a kind before follows it again.
std::uint32_t TracePacker::number_of(const TraceKind& kind) {
  if (!kinds_.empty()) {
    const std::uint32_t guess = followers_[last_kind_];
    if (kinds_[guess] == kind) return last_kind_ = guess;
  }
  const auto next = static_cast<std::uint32_t>(kinds_.size());
  const auto [found, is_new] = numbers_.try_emplace(kind, next);
  if (is_new) {
    kinds_.push_back(kind);
    followers_.push_back(next);
  }
  followers_[last_kind_] = found->second;
  return last_kind_ = found->second;
}

template <class ValueOf>
void TracePacker::add_column(std::size_t count, ValueOf value_of) {
  steps_.clear();
  const auto first = static_cast<std::uint64_t>(value_of(0));
  std::uint64_t before = first;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 1; i < count; ++i) {
    const auto value = static_cast<std::uint64_t>(value_of(i));
    steps_.push_back(value - before);
    least = std::min(least, static_cast<std::int64_t>(steps_.back()));
    most = std::max(most, static_cast<std::int64_t>(steps_.back()));
    before = value;
  }
  const auto least_step = steps_.empty() ? 0 : static_cast<std::uint64_t>(least);
  const std::uint8_t width =
      steps_.empty() ? std::uint8_t{0} : bytes_for(static_cast<std::uint64_t>(most) - least_step);
  add_number(bytes_, first);
  add_number(bytes_, least_step);
  add_number(bytes_, width);
  // Each number is written with all its 8 bytes, over those of the one before that are too many.
  const std::size_t start = bytes_.size();
  bytes_.resize(start + steps_.size() * width + sizeof(std::uint64_t));
  char* at = bytes_.data() + start;
  for (const std::uint64_t step : steps_) {
    const std::uint64_t number = step - least_step;
    std::memcpy(at, &number, sizeof number);
    at += width;
  }
  bytes_.resize(start + steps_.size() * width);
}

TraceBlock TracePacker::pack(std::span<const TraceRecord> records) {
  bytes_.clear();
  kinds_.clear();
  numbers_.clear();
  followers_.clear();
  last_kind_ = 0;
  kind_of_.clear();
  skipped_.clear();
  for (const TraceRecord& one : records) {
    kind_of_.push_back(number_of(
        {one.communicator, one.site, one.operation, one.flags, one.bytes, one.total_bytes}));
    std::uint32_t& next = calls_.next(one.communicator);
    skipped_.push_back(static_cast<std::int32_t>(one.call - next));
    next = one.call + 1;
  }
  const std::size_t kinds = kinds_.size();
  add_column(kinds, [&](std::size_t i) { return kinds_[i].communicator; });
  add_column(kinds, [&](std::size_t i) { return kinds_[i].site; });
  add_column(kinds, [&](std::size_t i) { return kinds_[i].operation; });
  add_column(kinds, [&](std::size_t i) { return kinds_[i].flags; });
  add_column(kinds, [&](std::size_t i) { return kinds_[i].bytes; });
  add_column(kinds, [&](std::size_t i) { return kinds_[i].total_bytes; });
  add_column(records.size(), [&](std::size_t i) { return kind_of_[i]; });
  add_column(records.size(), [&](std::size_t i) { return std::int64_t{skipped_[i]}; });
  add_column(records.size(), [&](std::size_t i) { return records[i].arrival_ns; });
  add_column(records.size(), [&](std::size_t i) { return records[i].exit_ns; });
  return {records.size(), kinds, bytes_};
}

bool TraceUnpacker::unpack(const TraceBlock& block, std::vector<TraceRecord>& records) {
  if (!is_possible(block)) return false;
  std::vector<TraceKind> kinds(block.kinds);
  std::vector<TraceRecord> found(block.records);
  Columns columns(block.bytes);
  const auto take_kind = [&](std::size_t i, std::uint64_t value) {
    if (value >= kinds.size()) return false;
    const TraceKind& kind = kinds[value];
    found[i] = {0, 0,         kind.bytes,     kind.total_bytes, kind.communicator,
                0, kind.site, kind.operation, kind.flags};
    return true;
  };
  // `skipped` is below 0 where one thread overtook another.
  const auto take_skipped = [&](std::size_t i, std::uint64_t value) {
    std::int32_t skipped = 0;
    if (!put(value, skipped)) return false;
    std::uint32_t& next = calls_.next(found[i].communicator);
    found[i].call = next + static_cast<std::uint32_t>(skipped);
    next = found[i].call + 1;
    return true;
  };
  const bool is_block =
      columns.next_fields(kinds, &TraceKind::communicator, &TraceKind::site, &TraceKind::operation,
                          &TraceKind::flags, &TraceKind::bytes, &TraceKind::total_bytes) &&
      columns.next(found.size(), take_kind) && columns.next(found.size(), take_skipped) &&
      columns.next_fields(found, &TraceRecord::arrival_ns, &TraceRecord::exit_ns) &&
      columns.at_end();
  if (is_block) records.insert(records.end(), found.begin(), found.end());
  return is_block;
}

}  // namespace gatherbench::formats
