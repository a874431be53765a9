// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/lowering.h"

#include <algorithm>

#include "algorithms/segments.h"

namespace gatherbench::mpi {
namespace {

/// Where each segment lies, for a schedule that cuts the blocks.
Layout layout_of_segments(const Layout& blocks, const algorithms::Schedule& schedule) {
  if (schedule.segmentation.bytes == 0) return blocks;
  std::vector<std::int64_t> sizes;
  for (int block = 0; block < blocks.blocks(); ++block) sizes.push_back(blocks.bytes(block));
  return Layout(algorithms::cut(sizes, schedule.segmentation).bytes);
}

}  // namespace

LoweredSchedule::LoweredSchedule(const algorithms::Schedule& schedule, const Layout& layout,
                                 const collectives::Blocks& initial, bool in_place,
                                 Noncontiguous noncontiguous)
    : layout_(layout_of_segments(layout, schedule)),
      work_(schedule.scratch_first_block == 0 ? Area::receive : Area::scratch),
      first_block_(schedule.scratch_first_block),
      noncontiguous_(noncontiguous) {
  add_prologue(layout, initial, in_place);
  if (schedule.broadcast_at_end) broadcast_bytes_ = layout.total();

  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    StepEntry entry{};
    entry.barrier = step.barrier;
    // The packed area is used anew by each step: outgoing messages first, then incoming ones.
    std::int64_t packed_end = 0;
    entry.before.first = copies_.size();
    entry.sends.first = messages_.size();
    for (std::size_t i = 0; i < step.sends.size(); ++i) add(step.sends[i], true, packed_end);
    entry.before.count = copies_.size() - entry.before.first;
    entry.sends.count = messages_.size() - entry.sends.first;

    entry.after.first = copies_.size();
    entry.receives.first = messages_.size();
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      add(step.receives[i], false, packed_end);
    }
    entry.after.count = copies_.size() - entry.after.first;
    entry.receives.count = messages_.size() - entry.receives.first;
    packed_bytes_ = std::max(packed_bytes_, packed_end);
    if (step.barrier || entry.sends.count + entry.receives.count > 0) steps_.push_back(entry);
  }

  if (work_ == Area::scratch) {
    scratch_bytes_ = layout_.total();
    const std::int64_t head = layout_.offset(first_block_);  // bytes of the blocks before it
    const std::int64_t tail = layout_.total() - head;
    if (tail > 0) epilogue_.push_back({Area::scratch, 0, Area::receive, head, tail});
    if (head > 0) epilogue_.push_back({Area::scratch, tail, Area::receive, 0, head});
  }
}

void LoweredSchedule::add_prologue(const Layout& layout, const collectives::Blocks& initial,
                                   bool in_place) {
  const Area own = in_place ? Area::receive : Area::send;
  if (own == work_) return;
  std::int64_t send_offset = 0;
  for (const algorithms::BlockRange& range : initial) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const std::int64_t bytes = layout.bytes(block);
      const std::int64_t from = in_place ? layout.offset(block) : send_offset;
      const std::int64_t to = work_ == Area::scratch ? place(block) : layout.offset(block);
      if (bytes > 0) prologue_.push_back({own, from, work_, to, bytes});
      send_offset += bytes;
    }
  }
}

std::int64_t LoweredSchedule::place(int block) const {
  const std::int64_t offset = layout_.offset(block) - layout_.offset(first_block_);
  return block >= first_block_ ? offset : offset + layout_.total();
}

std::vector<Piece> LoweredSchedule::pieces_of(const algorithms::Transfer& transfer) const {
  std::vector<Piece> pieces;
  const auto add_run = [&](int first, int last) {
    const std::int64_t bytes = layout_.offset(last) - layout_.offset(first);
    if (bytes == 0) return;
    const std::int64_t offset = place(first);
    // Runs that touch are one, whether the list of blocks ascends or descends; sender and receiver
    // see the same list, so they come to the same messages.
    if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == offset) {
      pieces.back().bytes += bytes;
    } else if (!pieces.empty() && offset + bytes == pieces.back().offset) {
      pieces.back().offset = offset;
      pieces.back().bytes += bytes;
    } else {
      pieces.push_back({work_, offset, bytes});
    }
  };
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const int last = range.first + range.count;
    if (range.first < first_block_ && first_block_ < last) {  // it wraps in the scratch buffer
      add_run(range.first, first_block_);
      add_run(first_block_, last);
    } else {
      add_run(range.first, last);
    }
  }
  return pieces;
}

void LoweredSchedule::add(const algorithms::Transfer& transfer, bool outgoing,
                          std::int64_t& packed_end) {
  std::vector<Piece> pieces = pieces_of(transfer);
  if (pieces.empty()) {
    // Blocks without bytes need no message; a transfer without blocks is a token.
    if (transfer.blocks.empty()) messages_.push_back({transfer.peer, {pieces_.size(), 0}});
    return;
  }
  if (noncontiguous_ == Noncontiguous::packed && pieces.size() > 1) {
    const std::int64_t begin = packed_end;
    for (const Piece& piece : pieces) {
      if (outgoing) {
        copies_.push_back({piece.area, piece.offset, Area::packed, packed_end, piece.bytes});
      } else {
        copies_.push_back({Area::packed, packed_end, piece.area, piece.offset, piece.bytes});
      }
      packed_end += piece.bytes;
    }
    pieces = {{Area::packed, begin, packed_end - begin}};
  }
  if (noncontiguous_ == Noncontiguous::pipelined) {
    for (const Piece& piece : pieces) {
      messages_.push_back({transfer.peer, {pieces_.size(), 1}});
      pieces_.push_back(piece);
    }
  } else {
    messages_.push_back({transfer.peer, {pieces_.size(), pieces.size()}});
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  }
}

std::vector<Message> LoweredSchedule::messages(const Range& range) const {
  std::vector<Message> messages;
  for (std::size_t i = range.first; i < range.first + range.count; ++i) {
    const MessageEntry& entry = messages_[i];
    messages.push_back(
        {entry.peer, std::span(pieces_).subspan(entry.pieces.first, entry.pieces.count)});
  }
  return messages;
}

std::size_t LoweredSchedule::background_steps() const {
  const auto in_foreground = [this](const StepEntry& entry) {
    const auto first = messages_.begin() + static_cast<std::ptrdiff_t>(entry.sends.first);
    return entry.barrier ||
           std::any_of(first, first + static_cast<std::ptrdiff_t>(entry.sends.count),
                       [](const MessageEntry& sent) { return sent.pieces.count > 0; });
  };
  return static_cast<std::size_t>(std::ranges::find_if(steps_, in_foreground) - steps_.begin());
}

LoweredSchedule::Step LoweredSchedule::step(std::size_t i) const {
  const StepEntry& entry = steps_[i];
  const std::span<const Copy> copies(copies_);
  return {entry.barrier, copies.subspan(entry.before.first, entry.before.count),
          messages(entry.sends), messages(entry.receives),
          copies.subspan(entry.after.first, entry.after.count)};
}

}  // namespace gatherbench::mpi
