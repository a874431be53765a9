// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/checked_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "bench/measure/test_values.h"
#include "runtime/device/device.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr std::byte guard_value{0xa5};

/// Places these blocks in a send buffer, one behind the other.
std::vector<PlacedBlock> place(const collectives::Blocks& blocks, const mpi::Layout& layout) {
  std::vector<PlacedBlock> placed;
  std::size_t offset = 0;
  for (const collectives::BlockRange& range : blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const auto bytes = static_cast<std::size_t>(layout.bytes(block));
      placed.push_back({block, offset, bytes});
      offset += bytes;
    }
  }
  return placed;
}

/// Places these blocks in a receive buffer, which may have each where it likes.
std::vector<PlacedBlock> place_received(const collectives::Blocks& blocks,
                                        const mpi::Layout& layout) {
  std::vector<PlacedBlock> placed = place(blocks, layout);
  if (layout.is_dense()) return placed;
  for (PlacedBlock& one : placed) {
    one.offset = static_cast<std::size_t>(layout.displacement(one.block));
  }
  return placed;
}

std::size_t in_memory(const mpi::Element& element, std::size_t offset) {
  return static_cast<std::size_t>(element.in_memory(static_cast<std::int64_t>(offset)));
}

/// Returns the parts of a receive buffer that are of no block, the bytes behind its end last. Gaps
/// within elements are not among them.
std::vector<Gap> gaps_between(std::vector<PlacedBlock> placed, std::size_t end,
                              const mpi::Element& element) {
  std::ranges::sort(placed, {}, &PlacedBlock::offset);
  std::vector<Gap> gaps;
  const auto add = [&](std::size_t from, std::size_t to) {
    const std::size_t first = in_memory(element, from);
    if (to > from) gaps.push_back({first, in_memory(element, to) - first});
  };
  std::size_t next = 0;
  for (const PlacedBlock& one : placed) {
    add(next, one.offset);
    next = std::max(next, one.offset + one.bytes);
  }
  add(next, end);
  gaps.push_back({in_memory(element, end), static_cast<std::size_t>(guard_bytes)});
  return gaps;
}

/// Calls `visit` with where each run of a block's bytes lies in memory, and its length.
template <typename Visit>
void for_each_run(const PlacedBlock& placed, const mpi::Element& element, Visit visit) {
  if (!element.has_gaps()) {
    visit(placed.offset, placed.bytes);
    return;
  }
  const auto whole = static_cast<std::size_t>(element.bytes);
  for (std::size_t done = 0; done < placed.bytes;) {
    const std::size_t offset = placed.offset + done;
    const std::size_t bytes = std::min(whole - offset % whole, placed.bytes - done);
    visit(in_memory(element, offset), bytes);
    done += bytes;
  }
}

/// Calls `visit` with what lies in a block's elements behind their data.
template <typename Visit>
void for_each_tail(const PlacedBlock& placed, const mpi::Element& element, Visit visit) {
  if (!element.has_gaps()) return;
  const auto whole = static_cast<std::size_t>(element.bytes);
  const auto extent = static_cast<std::size_t>(element.extent);
  const std::size_t last = (placed.offset + placed.bytes) / whole;
  for (std::size_t i = placed.offset / whole; i < last; ++i) {
    visit(Gap{i * extent + whole, extent - whole});
  }
}

std::optional<std::size_t> first_written(const Gap& gap, const std::byte* buffer) {
  const std::span<const std::byte> bytes(buffer + gap.offset, gap.bytes);
  const auto written =
      std::ranges::find_if(bytes, [](std::byte byte) { return byte != guard_value; });
  if (written == bytes.end()) return std::nullopt;
  return gap.offset + static_cast<std::size_t>(written - bytes.begin());
}

void fill_gap(const Gap& gap, std::byte* buffer) {
  std::ranges::fill(std::span(buffer + gap.offset, gap.bytes), guard_value);
}

/// Returns the bytes of a block, without the gaps between them.
std::vector<std::byte> read(const PlacedBlock& placed, const std::byte* buffer,
                            const mpi::Element& element) {
  std::vector<std::byte> bytes;
  bytes.reserve(placed.bytes);
  for_each_run(placed, element, [&](std::size_t offset, std::size_t count) {
    bytes.insert(bytes.end(), buffer + offset, buffer + offset + count);
  });
  return bytes;
}

/// Writes a block, whose bytes `make` fills in.
template <typename Make>
void write(const PlacedBlock& placed, std::byte* buffer, const mpi::Element& element, Make make) {
  if (!element.has_gaps()) {
    make(std::span(buffer + placed.offset, placed.bytes));
    return;
  }
  std::vector<std::byte> bytes(placed.bytes);
  make(std::span(bytes));
  const std::byte* next = bytes.data();
  for_each_run(placed, element, [&](std::size_t offset, std::size_t count) {
    std::copy_n(next, count, buffer + offset);
    next += count;
  });
}

/// Returns the first wrong byte of these blocks; none if all are right.
std::optional<WrongByte> find_wrong_byte(std::span<const PlacedBlock> placed,
                                         const std::byte* buffer, const mpi::Element& element,
                                         int call, Fill how) {
  for (const PlacedBlock& one : placed) {
    const std::span lies_together(buffer + one.offset, one.bytes);
    const auto wrong = element.has_gaps()
                           ? first_wrong_byte(read(one, buffer, element), one.block, call, how)
                           : first_wrong_byte(lies_together, one.block, call, how);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

/// Returns the block's bytes as a device copies them: a row, or one of each element.
device::Rows rows_of(const PlacedBlock& placed, const mpi::Element& element) {
  if (!element.has_gaps()) return {placed.bytes};
  const auto bytes = static_cast<std::size_t>(element.bytes);
  const auto extent = static_cast<std::size_t>(element.extent);
  return {.bytes = bytes, .count = placed.bytes / bytes, .to_step = extent, .from_step = extent};
}

}  // namespace

CheckedBuffers::CheckedBuffers(const collectives::Collective& collective, int rank, int ranks,
                               const mpi::Layout& layout, std::byte* send, std::byte* receive,
                               int root, const Operator& with, mpi::Memory memory)
    : rank_(rank),
      send_(send),
      receive_(receive),
      element_(layout.element()),
      combines_(collective.combines) {
  const collectives::Part part = part_of(collective, rank, ranks, root);
  received_ = place_received(part.goal, layout);
  gaps_ = gaps_between(received_, static_cast<std::size_t>(layout.extent(part.goal)), element_);
  if (send != nullptr) {
    sent_ = place(part.initial, layout);
  } else {
    const std::vector<PlacedBlock> before = place_received(part.in_place, layout);
    std::ranges::copy_if(before, std::back_inserter(own_), [&](const PlacedBlock& one) {
      return std::ranges::any_of(part.initial, [&](const collectives::BlockRange& range) {
        return range.first <= one.block && one.block < range.first + range.count;
      });
    });
  }
  if (combines_) {
    for (std::size_t call = 0; call < results_.size(); ++call) {
      contributions_[call].resize(static_cast<std::size_t>(layout.bytes(part.initial)));
      fill_contribution(with, contributions_[call], rank, ranks, call);
      results_[call].resize(static_cast<std::size_t>(layout.bytes(part.goal)));
      fill_result(with, results_[call], ranks, call);
    }
  }
  if (!sent_.empty()) {
    sent_bytes_ = in_memory(element_, sent_.back().offset + sent_.back().bytes);
  }
  if (memory == mpi::Memory::device) {
    const auto sent = static_cast<std::int64_t>(sent_bytes_);
    const auto received = static_cast<std::int64_t>(gaps_.back().offset + gaps_.back().bytes);
    mirror_ =
        Mirror{mpi::Buffer(sent, mpi::Memory::pinned), mpi::Buffer(received, mpi::Memory::pinned),
               mpi::Buffer(received, mpi::Memory::device)};
  }
  fill();
}

void CheckedBuffers::use(std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
}

void CheckedBuffers::fill() {
  poison();
  for (const PlacedBlock& one : sent_) {
    for_each_tail(one, element_, [&](const Gap& gap) { fill_gap(gap, host_send()); });
  }
  rewrite();
  put_all();
}

void CheckedBuffers::renew() {
  ++call_;
  how_ = Fill::mixed;
  fill();
}

void CheckedBuffers::write_next() {
  if (!combines_) {
    ++call_;
    how_ = Fill::uniform;
    if (mirror_) {
      write_next_in_device();
      return;
    }
  }
  rewrite();
}

void CheckedBuffers::rewrite() {
  for (const PlacedBlock& one : sent_) write_own(one, host_send());
  for (const PlacedBlock& one : own_) write_own(one, host_receive());
  if (!mirror_) return;
  put(sent_, send_, host_send());
  put(own_, receive_, host_receive());
  device::Current::device().wait();
}

void CheckedBuffers::put(std::span<const PlacedBlock> blocks, std::byte* to,
                         const std::byte* from) const {
  for (const PlacedBlock& one : blocks) {
    const std::size_t offset = in_memory(element_, one.offset);
    device::Current::device().copy(to + offset, from + offset, rows_of(one, element_));
  }
}

void CheckedBuffers::put_all() const {
  if (!mirror_) return;
  device::Device& device = device::Current::device();
  const Gap& end = gaps_.back();
  if (sent_bytes_ > 0) device.copy(send_, host_send(), {sent_bytes_});
  device.copy(receive_, host_receive(), {end.offset + end.bytes});
  device.wait();
}

void CheckedBuffers::fetch_all() const {
  if (!mirror_) return;
  device::Device& device = device::Current::device();
  const Gap& end = gaps_.back();
  if (sent_bytes_ > 0) device.copy(host_send(), send_, {sent_bytes_});
  device.copy(host_receive(), receive_, {end.offset + end.bytes});
  device.wait();
}

void CheckedBuffers::write_next_in_device() const {
  device::Device& device = device::Current::device();
  const auto write = [&](std::span<const PlacedBlock> blocks, std::byte* buffer) {
    for (const PlacedBlock& one : blocks) {
      if (one.bytes == 0) continue;
      std::byte value{};
      fill_block(std::span(&value, 1), one.block, call_, Fill::uniform);
      device.fill(buffer + in_memory(element_, one.offset), value, rows_of(one, element_));
    }
  };
  write(sent_, send_);
  write(own_, receive_);
  device.wait();
}

void CheckedBuffers::read_result() const {
  if (mirror_) {
    device::Device& device = device::Current::device();
    if (gaps_.back().offset > 0) {
      device.copy(mirror_->read.data(), receive_, {gaps_.back().offset});
    }
    device.wait();
    return;
  }
  // Each word is loaded and added, as in a program's loop over numbers; compilers would take
  // several at once. Eight a turn: a loop of one word makes a whole cycle 1.2 to 1.4 times as long
  // where its jump happens to lie across two cache lines.
  const auto add = [](std::uint64_t& sum, std::uint64_t word) {
    sum += word;
    asm volatile("" : "+r"(sum));
  };
  for (const PlacedBlock& one : received_) {
    for_each_run(one, element_, [&](std::size_t offset, std::size_t bytes) {
      const std::byte* const run = receive_ + offset;
      std::uint64_t sum = 0;
      std::uint64_t word = 0;
      std::size_t at = 0;
#pragma GCC unroll 8
      for (; at + sizeof(word) <= bytes; at += sizeof(word)) {
        std::memcpy(&word, run + at, sizeof(word));
        add(sum, word);
      }
      for (; at < bytes; ++at) add(sum, std::to_integer<std::uint64_t>(run[at]));
    });
  }
}

void CheckedBuffers::write_own(const PlacedBlock& placed, std::byte* buffer) const {
  if (how_ == Fill::uniform) {  // in a timed cycle: straight into the buffer, between gaps too
    for_each_run(placed, element_, [&](std::size_t offset, std::size_t bytes) {
      fill_block(std::span(buffer + offset, bytes), placed.block, call_, how_);
    });
    return;
  }
  write(placed, buffer, element_, [&](std::span<std::byte> bytes) {
    if (combines_) {
      std::ranges::copy(contribution(), bytes.begin());
    } else {
      fill_block(bytes, placed.block, call_);
    }
  });
}

void CheckedBuffers::poison() {
  for (const PlacedBlock& one : received_) {
    write(one, host_receive(), element_, [&](std::span<std::byte> bytes) {
      if (combines_) {
        std::ranges::transform(result(), bytes.begin(), [](std::byte byte) { return ~byte; });
      } else {
        poison_block(bytes, one.block, call_);
      }
    });
    for_each_tail(one, element_, [&](const Gap& gap) { fill_gap(gap, host_receive()); });
  }
  for (const PlacedBlock& one : own_) write_own(one, host_receive());
  for (const Gap& gap : gaps_) fill_gap(gap, host_receive());
}

std::optional<WrongByte> CheckedBuffers::wrong_result() const {
  if (!combines_) return find_wrong_byte(received_, host_receive(), element_, call_, how_);
  const std::span<const std::byte> found(host_receive(), result().size());
  const auto differs = std::ranges::mismatch(found, result());
  if (differs.in1 == found.end()) return std::nullopt;
  return WrongByte{0, differs.in1 - found.begin(), *differs.in2, *differs.in1};
}

std::optional<std::size_t> CheckedBuffers::written_between() const {
  std::optional<std::size_t> written;
  const auto look_at = [&](const Gap& gap) {
    if (!written) written = first_written(gap, host_receive());
  };
  for (const PlacedBlock& one : received_) for_each_tail(one, element_, look_at);
  for (const Gap& gap : gaps_) look_at(gap);
  return written;
}

bool CheckedBuffers::is_sent_changed() const {
  if (combines_) {
    return std::ranges::any_of(sent_, [&](const PlacedBlock& one) {
      return !std::ranges::equal(std::span(host_send() + one.offset, one.bytes), contribution());
    });
  }
  bool is_tail_written = false;
  for (const PlacedBlock& one : sent_) {
    for_each_tail(one, element_, [&](const Gap& gap) {
      is_tail_written = is_tail_written || first_written(gap, host_send()).has_value();
    });
  }
  return is_tail_written || find_wrong_byte(sent_, host_send(), element_, call_, how_).has_value();
}

std::string CheckedBuffers::fault() const {
  fetch_all();
  if (const auto wrong = wrong_result()) {
    return fmt::format("rank {}, block {}, byte {}: 0x{:02x} where 0x{:02x} belongs", rank_,
                       wrong->block, wrong->position, static_cast<unsigned>(wrong->found),
                       static_cast<unsigned>(wrong->expected));
  }
  if (const auto written = written_between()) {
    if (*written >= gaps_.back().offset) {
      return fmt::format("rank {}: bytes past the end of the receive buffer were written", rank_);
    }
    return fmt::format("rank {}: byte {} of the receive buffer was written, which is of no block",
                       rank_, *written);
  }
  if (is_sent_changed()) {
    return fmt::format("rank {}: its send buffer was changed", rank_);
  }
  return {};
}

std::string first_text(const std::string& own, MPI_Comm comm) {
  const int size = mpi::size_of(comm);
  const int mine = own.empty() ? size : mpi::rank_of(comm);
  int lowest = size;
  mpi::require(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (lowest == size) return {};
  return mpi::broadcast_text(own, lowest, comm);
}

}  // namespace gatherbench::bench
