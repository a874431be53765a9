// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/checked_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "bench/reduction/test_values.h"
#include "mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr std::byte guard_value{0xa5};

/// Where these blocks lie in a send buffer, one behind the other.
std::vector<PlacedBlock> place(const collectives::Blocks& blocks, const mpi::Layout& layout) {
  std::vector<PlacedBlock> placed;
  std::size_t offset = 0;
  for (const algorithms::BlockRange& range : blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const auto bytes = static_cast<std::size_t>(layout.bytes(block));
      placed.push_back({block, offset, bytes});
      offset += bytes;
    }
  }
  return placed;
}

/// In a receive buffer, which may have each where it likes.
std::vector<PlacedBlock> place_received(const collectives::Blocks& blocks,
                                        const mpi::Layout& layout) {
  std::vector<PlacedBlock> placed = place(blocks, layout);
  if (layout.is_dense()) return placed;
  for (PlacedBlock& one : placed) {
    one.offset = static_cast<std::size_t>(layout.displacement(one.block));
  }
  return placed;
}

/// What of a receive buffer is of no block, the bytes behind its end last.
std::vector<Gap> gaps_between(std::vector<PlacedBlock> placed, std::size_t end) {
  std::ranges::sort(placed, {}, &PlacedBlock::offset);
  std::vector<Gap> gaps;
  std::size_t next = 0;
  for (const PlacedBlock& one : placed) {
    if (one.offset > next) gaps.push_back({next, one.offset - next});
    next = std::max(next, one.offset + one.bytes);
  }
  if (end > next) gaps.push_back({next, end - next});
  gaps.push_back({end, static_cast<std::size_t>(guard_bytes)});
  return gaps;
}

std::span<std::byte> bytes_of(const PlacedBlock& placed, std::byte* buffer) {
  return {buffer + placed.offset, placed.bytes};
}

/// The first of them that has a wrong byte.
std::optional<WrongByte> find_wrong_byte(std::span<const PlacedBlock> placed, std::byte* buffer) {
  for (const PlacedBlock& one : placed) {
    if (const auto wrong = first_wrong_byte(bytes_of(one, buffer), one.block)) return wrong;
  }
  return std::nullopt;
}

}  // namespace

CheckedBuffers::CheckedBuffers(const collectives::Collective& collective, int rank, int ranks,
                               const mpi::Layout& layout, std::byte* send, std::byte* receive,
                               int root, const Operator& with)
    : rank_(rank), send_(send), receive_(receive), combines_(collective.combines) {
  const collectives::Part part = part_of(collective, rank, ranks, root);
  received_ = place_received(part.goal, layout);
  gaps_ = gaps_between(received_, static_cast<std::size_t>(layout.extent(part.goal)));
  if (send != nullptr) {
    sent_ = place(part.initial, layout);
  } else {
    const std::vector<PlacedBlock> before = place_received(part.in_place, layout);
    std::ranges::copy_if(before, std::back_inserter(own_), [&](const PlacedBlock& one) {
      return std::ranges::any_of(part.initial, [&](const algorithms::BlockRange& range) {
        return range.first <= one.block && one.block < range.first + range.count;
      });
    });
  }
  if (combines_) {
    contribution_.resize(static_cast<std::size_t>(layout.bytes(part.initial)));
    fill_contribution(with, contribution_, rank, ranks);
    result_.resize(static_cast<std::size_t>(layout.bytes(part.goal)));
    fill_result(with, result_, ranks);
  }
  fill();
}

void CheckedBuffers::use(std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
}

void CheckedBuffers::fill() {
  spoil();
  rewrite();
}

void CheckedBuffers::rewrite() {
  for (const PlacedBlock& one : sent_) write_own(one, send_);
  for (const PlacedBlock& one : own_) write_own(one, receive_);
}

void CheckedBuffers::write_own(const PlacedBlock& placed, std::byte* buffer) const {
  if (combines_) {
    std::ranges::copy(contribution_, bytes_of(placed, buffer).begin());
  } else {
    fill_block(bytes_of(placed, buffer), placed.block);
  }
}

void CheckedBuffers::spoil() {
  for (const PlacedBlock& one : received_) {
    const std::span<std::byte> bytes = bytes_of(one, receive_);
    if (combines_) {
      std::ranges::transform(result_, bytes.begin(), [](std::byte byte) { return ~byte; });
    } else {
      spoil_block(bytes, one.block);
    }
  }
  for (const PlacedBlock& one : own_) write_own(one, receive_);
  for (const Gap& gap : gaps_) std::ranges::fill(gap_bytes(gap), guard_value);
}

std::span<std::byte> CheckedBuffers::gap_bytes(const Gap& gap) const {
  return {receive_ + gap.offset, gap.bytes};
}

std::optional<WrongByte> CheckedBuffers::wrong_result() const {
  if (!combines_) return find_wrong_byte(received_, receive_);
  const std::span<const std::byte> found(receive_, result_.size());
  const auto differs = std::ranges::mismatch(found, result_);
  if (differs.in1 == found.end()) return std::nullopt;
  return WrongByte{0, differs.in1 - found.begin(), *differs.in2, *differs.in1};
}

std::optional<std::size_t> CheckedBuffers::written_between() const {
  for (const Gap& gap : gaps_) {
    const std::span<const std::byte> bytes = gap_bytes(gap);
    const auto written =
        std::ranges::find_if(bytes, [](std::byte byte) { return byte != guard_value; });
    if (written == bytes.end()) continue;
    return gap.offset + static_cast<std::size_t>(written - bytes.begin());
  }
  return std::nullopt;
}

bool CheckedBuffers::is_sent_changed() const {
  if (!combines_) return find_wrong_byte(sent_, send_).has_value();
  return std::ranges::any_of(sent_, [&](const PlacedBlock& one) {
    return !std::ranges::equal(bytes_of(one, send_), contribution_);
  });
}

std::string CheckedBuffers::fault() const {
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
