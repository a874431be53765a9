// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "formats/crc32.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/trace/block.h"

namespace gatherbench::formats {

std::int64_t RankTrace::common_ns(std::int64_t own_ns) const {
  if (clock.size() < 2) return own_ns;
  const ClockPoint& before = clock[clock.size() - 2];
  const ClockPoint& last = clock.back();
  const auto gained =
      static_cast<double>((last.common_ns - before.common_ns) - (last.own_ns - before.own_ns));
  const std::int64_t since = own_ns - last.own_ns;
  const double drift = gained / static_cast<double>(last.own_ns - before.own_ns);
  return last.common_ns + since + std::llround(drift * static_cast<double>(since));
}

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

namespace {

constexpr std::string_view mark = "#@";
constexpr std::size_t digits = 8;  // of a checksum
constexpr std::array<std::string_view, 3> versions = {"1", "2", "3"};
constexpr std::string_view without_checksums = versions[0];
constexpr std::string_view packed = versions[2];  // the version whose records are packed
constexpr std::int64_t largest = TraceRecord::largest;

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the numbers of a line; none if they are not `count`, or if one of them is not legal.
template <std::size_t count>
std::optional<std::array<std::int64_t, count>> integers(std::string_view text) {
  const std::vector<std::string_view> parts = text::split(text, ' ');
  std::array<std::int64_t, count> values{};
  if (parts.size() != count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::int64_t> value = integer(parts[i]);
    if (!value || *value >= largest || *value <= -largest) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

class Reader {
 public:
  Reader(std::string_view option, std::string_view path, std::string_view data,
         std::string_view operation)
      : option_(option), path_(path), data_(data), records_(operation) {}

  RankTrace read() {
    for (std::size_t end = 0; (end = data_.find('\n', at_)) != data_.npos;) take_line(end);
    if (at_ < data_.size()) {
      ++line_;
      require_not_ended();
    }
    for (const std::string_view key : {"rank", "ranks", "operations", "record"}) {
      if (!seen_.contains(key)) refuse(fmt::format("is no rank's trace; it has no {}", key));
    }
    check();
    return std::move(trace_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw text::bad_value(option_, path_, why + "; legal: the file as libagtrace.so wrote it");
  }

  /// Refuses text behind the last checksum, which somebody else has written.
  void require_not_ended() const {
    if (!trace_.is_checked || !seen_.contains("end")) return;
    refuse(fmt::format("was altered: there is more behind its end in line {}", line_));
  }

  /// Takes the line that ends at `end`. A cut file may end in the middle of a line, which is not
  /// taken.
  void take_line(std::size_t end) {
    ++line_;
    require_not_ended();
    std::string_view line = data_.substr(at_, end - at_);
    if (!line.starts_with(mark)) {
      refuse(fmt::format("is no rank's trace: line {} does not begin with #@", line_));
    }
    const std::size_t equals = line.find('=');
    const std::string_view key = line.substr(mark.size(), equals - mark.size());
    if (key == "block_end" || key == "end") {
      line = take_checksum(line);
    }
    at_ = end + 1;
    const std::string_view value = equals == line.npos ? "" : line.substr(equals + 1);
    if (equals == line.npos || !take_value(key, value)) {
      refuse(fmt::format("line {}: {}='{}' cannot be read", line_, key, value.substr(0, 100)));
    }
  }

  /// Refuses the file if the checksum at the end of the line is wrong; else takes the records
  /// before it as proven. Returns the line without the checksum; in version 1 there is none.
  std::string_view take_checksum(std::string_view line) {
    const std::size_t length = checksum_mark.size() + digits;
    const std::string_view text = line.substr(0, line.size() - std::min(line.size(), length));
    const std::string_view end = line.substr(text.size());
    std::uint32_t said = 0;
    const char* const last = end.data() + end.size();
    if (!end.starts_with(checksum_mark) ||
        std::from_chars(end.data() + checksum_mark.size(), last, said, 16).ptr != last) {
      if (trace_.is_checked) refuse(fmt::format("was altered: line {} has no checksum", line_));
      return line;
    }
    running_.add(data_.substr(proven_, at_ + text.size() - proven_));
    if (running_.value() != said) {
      refuse(fmt::format(
          "was altered: line {} says that the checksum of all before it is {:08x}, it is {:08x}; "
          "since the checksum before there are {}",
          line_, said, running_.value(), records_.waiting()));
    }
    const std::size_t after = at_ + line.size() + 1;
    running_.add(data_.substr(at_ + text.size(), after - at_ - text.size()));
    proven_ = after;
    accept();
    return text;
  }

  /// Returns false if the value of a known key makes no sense.
  bool take_value(std::string_view key, std::string_view value) {
    using Take = bool (Reader::*)(std::string_view);
    static constexpr auto takes = std::to_array<std::pair<std::string_view, Take>>({
        {"agtrace", &Reader::take_version},
        {"block", &Reader::take_records},
        {"clock_point", &Reader::take_clock_point},
        {"communicator", &Reader::take_communicator},
        {"end", &Reader::take_end},
        {"kind", &Reader::take_kind_columns},
        {"operations", &Reader::take_operations},
        {"program", &Reader::take_program},
        {"rank", &Reader::take_rank},
        {"ranks", &Reader::take_ranks},
        {"record", &Reader::take_layout},
        {"sample", &Reader::take_sample},
    });
    seen_.emplace(key);
    const auto found = std::ranges::find(takes, key, &std::pair<std::string_view, Take>::first);
    return found == takes.end() || (this->*found->second)(value);
  }

  bool take_version(std::string_view value) {
    trace_.is_checked = value != without_checksums;
    is_packed_ = value == packed;
    return std::ranges::find(versions, value) != versions.end();
  }
  bool take_clock_point(std::string_view value) {
    const auto numbers = integers<2>(value);
    if (numbers) trace_.clock.push_back({(*numbers)[0], (*numbers)[1]});
    return numbers.has_value();
  }
  bool take_end(std::string_view value) {
    trace_.is_whole = value.starts_with("finalize ");
    trace_.reached_limit = value.starts_with("limit ");
    return true;
  }
  bool take_operations(std::string_view value) {
    records_.set_operations(value);
    return true;
  }
  bool take_program(std::string_view value) {
    trace_.program = value;
    return true;
  }
  bool take_rank(std::string_view value) { return take_number(value, trace_.rank); }
  bool take_ranks(std::string_view value) { return take_number(value, trace_.ranks); }
  bool take_layout(std::string_view value) {
    return value == (is_packed_ ? TraceBlock::record_columns : TraceRecord::layout);
  }
  bool take_kind_columns(std::string_view value) {
    return is_packed_ && value == TraceBlock::kind_columns;
  }
  bool take_sample(std::string_view value) {
    const auto number = integers<1>(value);
    if (number) trace_.sample = number->front();
    return number && trace_.sample > 0;
  }

  static bool take_number(std::string_view value, int& into) {
    const std::optional<std::int64_t> number = integer(value);
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return false;
    into = static_cast<int>(*number);
    return true;
  }

  bool take_communicator(std::string_view value) {
    const auto numbers = integers<4>(value);
    if (!numbers) return false;
    const auto [number, id, rank, ranks] = *numbers;
    if (number < 0 || number > std::numeric_limits<std::uint32_t>::max() || rank < 0 ||
        rank >= ranks || ranks > std::numeric_limits<int>::max()) {
      return false;
    }
    trace_.communicators[static_cast<std::uint32_t>(number)] = {id, static_cast<int>(rank),
                                                                static_cast<int>(ranks)};
    return true;
  }

  bool take_records(std::string_view value) {
    if (!seen_.contains("record")) return false;
    const bool is_taken = is_packed_ ? take_packed(value) : take_plain(value);
    if (is_taken && !trace_.is_checked) accept();
    return is_taken;
  }

  /// Adds records that lie as in memory; fewer, but whole ones, where the file is cut.
  bool take_plain(std::string_view value) {
    const std::optional<std::int64_t> count = integer(value);
    if (!count || *count < 0 || *count > largest / std::int64_t{sizeof(TraceRecord)}) return false;
    const std::size_t size = static_cast<std::size_t>(*count) * sizeof(TraceRecord);
    const std::string_view bytes = data_.substr(at_, size);
    records_.add(bytes);
    at_ += bytes.size();
    return true;
  }

  /// Adds no records where the file is cut.
  bool take_packed(std::string_view value) {
    const auto numbers = integers<3>(value);
    if (!numbers || std::ranges::min(*numbers) < 1) return false;
    const auto [records, kinds, bytes] = *numbers;
    const auto size = static_cast<std::size_t>(bytes);
    const std::string_view block = data_.substr(at_, size);
    at_ += block.size();
    if (block.size() == size) {
      records_.add({static_cast<std::size_t>(records), static_cast<std::size_t>(kinds), block});
    }
    return true;
  }

  void accept() {
    if (const std::string fault = records_.accept(trace_); !fault.empty()) refuse(fault);
  }

  void check() const {
    if (trace_.rank >= trace_.ranks) {
      refuse(fmt::format("is of rank {} of {} ranks", trace_.rank, trace_.ranks));
    }
    const std::size_t points = trace_.clock.size();
    if (points > 1 && trace_.clock[points - 1].own_ns == trace_.clock[points - 2].own_ns) {
      refuse("the last two clock_point lines are of the same time");
    }
  }

  std::string_view option_;
  std::string_view path_;
  std::string_view data_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  RankTrace trace_;
  std::set<std::string, std::less<>> seen_;  // keys
  bool is_packed_ = false;
  ProvenRecords records_;
  RunningChecksum running_;
  std::size_t proven_ = 0;  // bytes that a checksum was of
};

}  // namespace

RankTrace read_rank_trace(std::string_view option, std::string_view path, std::string_view data,
                          std::string_view operation) {
  return Reader(option, path, data, operation).read();
}

}  // namespace gatherbench::formats
