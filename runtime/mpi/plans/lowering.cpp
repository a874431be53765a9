// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/lowering.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gatherbench::mpi {

namespace {

collectives::Blocks in_segments(const collectives::Blocks& blocks,
                                const algorithms::Segments& segments) {
  collectives::Blocks cut;
  for (const collectives::BlockRange& range : blocks) {
    const int first = segments.first[static_cast<std::size_t>(range.first)];
    const int behind = range.first + range.count;
    cut.push_back({first, segments.first[static_cast<std::size_t>(behind)] - first});
  }
  return cut;
}

}  // namespace

collectives::Part in_segments(const collectives::Part& part, const algorithms::Segments& segments) {
  collectives::Part cut = part;
  for (collectives::Blocks* const blocks : {&cut.initial, &cut.goal, &cut.in_place}) {
    *blocks = in_segments(*blocks, segments);
  }
  return cut;
}

Layout layout_of(const algorithms::Segments& segments, const Layout& layout) {
  std::vector<std::int64_t> displacements;
  for (int block = 0; block < layout.blocks() && !layout.is_dense(); ++block) {
    std::int64_t next = layout.displacement(block);
    for (int i = 0; i < segments.count(block); ++i) {
      const std::size_t segment = displacements.size();
      displacements.push_back(next);
      next += segments.bytes[segment];
    }
  }
  Layout cut(segments.bytes, std::move(displacements));
  cut.count_in(layout.element());
  return cut;
}

namespace {

/// Returns true if the rank receives any message.
bool receives_any(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (!schedule.step(s).receives.empty()) return true;
  }
  return false;
}

/// Returns all of the receive buffer but what is empty.
std::vector<Piece> received_pieces(const Layout& layout) {
  std::vector<Piece> pieces;
  for (int block = 0; block < layout.blocks(); ++block) {
    const std::int64_t bytes = layout.bytes(block);
    if (bytes > 0) append(pieces, {{{Area::receive, layout.displacement(block), bytes}}});
  }
  return pieces;
}

}  // namespace

LoweredSchedule::LoweredSchedule(const algorithms::Schedule& schedule, const Layout& layout,
                                 const collectives::Part& part, bool in_place,
                                 const algorithms::MessageForm& form)
    : layout_(layout),
      first_block_(schedule.scratch_first_block),
      places_(0),
      own_(0),
      work_(0),
      combines_(part.combines && schedule.contributions == 0),
      form_(form) {
  collectives::Part cut = part;
  if (schedule.contributions > 0) {
    layout_ = Layout(schedule.contributions, layout.total());
    layout_.count_in(layout.element());
    cut.initial = {{schedule.own_contribution, 1}};
  }
  if (!schedule.segmentation.leaves_whole()) {
    const algorithms::Segments segments =
        algorithms::cut(layout.block_bytes(), schedule.segmentation);
    layout_ = layout_of(segments, layout);
    cut = in_segments(part, segments);
  }
  places_ = Places(layout_.blocks());
  own_ = Places(layout_.blocks());
  if (combines_) {
    work_ = Places(layout_.blocks());
    place_contributions(cut, in_place, receives_any(schedule));
  } else if (schedule.contributions > 0) {
    place_gathered(schedule, in_place);
  } else {
    place_blocks(cut, in_place);
    if (!sends_own_alone(schedule)) own_ = Places(0);
  }
  if (schedule.broadcast_at_end) {
    broadcast_ = received_pieces(layout_);
    broadcast_root_ = schedule.broadcast_root;
  }
  for (std::size_t s = 0; s < schedule.steps(); ++s) add_step(schedule.step(s), cut.initial);
  if (combines_) {
    Places after(layout_.blocks());
    put(cut.goal, Area::receive, layout_, after);
    epilogue_ = moves(cut.goal, layout_, places_, after);
  }
}

void LoweredSchedule::add_step(const algorithms::Step& step, const collectives::Blocks& initial) {
  StepEntry entry{};
  entry.barrier = step.barrier;
  entry.leaves = step.leaves;
  entry.needs_own = combines_;
  // The packed area is used anew by each step: outgoing messages first, then incoming ones.
  std::int64_t packed_end = 0;
  entry.sends.first = messages_.size();
  for (std::size_t i = 0; i < step.sends.size(); ++i) {
    entry.needs_own = entry.needs_own || has_any(step.sends[i], initial);
    add(step.sends[i], true, packed_end);
  }
  entry.sends.last = messages_.size();

  entry.unpacking.first = copies_.size();
  entry.receives.first = messages_.size();
  for (std::size_t i = 0; i < step.receives.size(); ++i) add(step.receives[i], false, packed_end);
  entry.unpacking.last = copies_.size();
  entry.receives.last = messages_.size();
  packed_bytes_ = std::max(packed_bytes_, packed_end);
  if (step.barrier || entry.sends.size() + entry.receives.size() > 0) steps_.push_back(entry);
}

void LoweredSchedule::place_blocks(const collectives::Part& part, bool in_place) {
  Places after(layout_.blocks());
  put(part.goal, Area::receive, layout_, after);
  Places before = after;
  if (in_place) put(part.in_place, Area::receive, layout_, before);
  if (!in_place) put(part.initial, Area::send, layout_, before);
  if (first_block_ == 0) {
    // A block that stays is worked on where it has to be in the end. One that only leaves is sent
    // from where it is, unless something comes in there.
    places_ = after;
    for (const collectives::BlockRange& range : part.initial) {
      for (int block = range.first; block < range.first + range.count; ++block) {
        if (in_place) {
          (void)place_of(block);
        } else {
          (after.at(block).is_known() ? own_ : places_)[block] = before.at(block);
        }
      }
    }
  } else {
    put({{first_block_, layout_.blocks() - first_block_}, {0, first_block_}}, Area::scratch,
        layout_, places_);
    scratch_bytes_ = layout_.total();
  }
  prologue_ = moves(part.initial, layout_, before, places_);
  epilogue_ = moves(part.goal, layout_, places_, after);
}

void LoweredSchedule::place_gathered(const algorithms::Schedule& schedule, bool in_place) {
  const int ranks = schedule.contributions;
  const int own = schedule.own_contribution;
  const std::int64_t bytes = layout_.bytes(own);
  put({{0, ranks}}, Area::scratch, layout_, places_);
  scratch_bytes_ = layout_.total();
  if (bytes == 0) return;
  // The receive buffer gets the result, so what lies there has to leave first.
  const Place place = places_[own];
  if (in_place) append(prologue_, {Area::receive, 0, place.area, place.offset, bytes});
  if (!in_place) places_[own] = {Area::send, 0};
  algorithms::Incoming incoming = algorithms::Incoming::store;
  for (int block = ranks - 1; block >= 0; --block) {
    const Place from = places_[block];
    epilogue_.push_back({from.area, from.offset, Area::receive, 0, bytes, incoming});
    incoming = algorithms::Incoming::combine_before;
  }
}

void LoweredSchedule::place_contributions(const collectives::Part& part, bool in_place,
                                          bool receives) {
  in_order_ = part.in_order;
  put(part.initial, in_place ? Area::receive : Area::send, layout_, places_);
  put(part.initial, part.goal.empty() ? Area::scratch : Area::receive, layout_, work_);
  if (part.goal.empty() && receives) scratch_bytes_ = layout_.total();
}

void LoweredSchedule::place_incoming(const algorithms::Transfer& transfer, std::int64_t& packed_end,
                                     std::vector<Copy>& folds) {
  for (const algorithms::BlockRange& range : transfer.blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      const std::int64_t bytes = layout_.bytes(block);
      if (bytes == 0) continue;
      Place& place = places_[block];
      const Place work = work_.at(block);
      algorithms::Incoming incoming = transfer.incoming;
      if (incoming != algorithms::Incoming::store && place != work) {
        const Place own = place;
        // The incoming bytes are the operator's second operand, and the rank's own the first one,
        // on the left.
        const bool own_is_left = incoming == algorithms::Incoming::combine_behind || !in_order_;
        if (own_is_left) {
          incoming = algorithms::Incoming::store;
          append(folds, {own.area, own.offset, work.area, work.offset, bytes,
                         algorithms::Incoming::combine_before});
        } else {
          append(folds, {own.area, own.offset, work.area, work.offset, bytes});
        }
      }
      place = work;
      if (incoming == algorithms::Incoming::store) continue;
      if (!in_order_) incoming = algorithms::Incoming::combine_before;
      place = {Area::packed, packed_end};
      packed_end += bytes;
      append(folds, {place.area, place.offset, work.area, work.offset, bytes, incoming});
    }
  }
}

void LoweredSchedule::settle(const algorithms::Transfer& transfer) {
  for (const algorithms::BlockRange& range : transfer.blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      places_[block] = work_.at(block);
    }
  }
}

Place LoweredSchedule::place_of(int block) {
  Place& place = places_[block];
  if (!place.is_known()) {
    place = {Area::scratch, scratch_bytes_};
    scratch_bytes_ += layout_.bytes(block);
  }
  return place;
}

std::vector<Piece> LoweredSchedule::pieces_of(int first, int last, bool own) {
  std::vector<Piece> pieces;
  for (int block = first; block < last; ++block) {
    const auto [area, offset] = own ? own_.at(block) : place_of(block);
    if (layout_.bytes(block) > 0) append(pieces, {{{area, offset, layout_.bytes(block)}}});
  }
  return pieces;
}

std::int64_t LoweredSchedule::position(int block) const {
  const std::int64_t offset = layout_.offset(block) - layout_.offset(first_block_);
  return block >= first_block_ ? offset : offset + layout_.total();
}

bool LoweredSchedule::has_any(const algorithms::Transfer& transfer,
                              const collectives::Blocks& blocks) const {
  for (const algorithms::BlockRange& sent : transfer.blocks) {
    for (const algorithms::BlockRange& one : blocks) {
      const int first = std::max(sent.first, one.first);
      const int last = std::min(sent.first + sent.count, one.first + one.count);
      if (first < last && layout_.offset(first) < layout_.offset(last)) return true;
    }
  }
  return false;
}

LoweredSchedule::Own LoweredSchedule::own_of(const algorithms::Transfer& transfer) const {
  bool has_own = false;
  bool has_others = false;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) {
      (own_.at(block).is_known() ? has_own : has_others) = true;
    }
  }
  if (!has_own) return Own::none;
  return has_others ? Own::some : Own::all;
}

bool LoweredSchedule::sends_own_alone(const algorithms::Schedule& schedule) const {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      if (own_of(step.sends[i]) == Own::some) return false;
    }
  }
  return true;
}

std::vector<LoweredSchedule::Run> LoweredSchedule::runs_of(const algorithms::Transfer& transfer,
                                                           bool own) {
  std::vector<Run> runs;
  const auto add_run = [&](int first, int last) {
    const std::int64_t begin = position(first);
    const std::int64_t end = begin + layout_.offset(last) - layout_.offset(first);
    if (begin == end) return;
    std::vector<Piece> pieces = pieces_of(first, last, own);
    // Runs that touch are one, whether the list of blocks ascends or descends; sender and receiver
    // see the same list, so they come to the same messages.
    if (!runs.empty() && runs.back().end == begin) {
      append(runs.back().pieces, pieces);
      runs.back().end = end;
    } else if (!runs.empty() && end == runs.back().begin) {
      append(pieces, runs.back().pieces);
      runs.back() = {begin, runs.back().end, std::move(pieces)};
    } else {
      runs.push_back({begin, end, std::move(pieces)});
    }
  };
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const int last = range.first + range.count;
    const int wrap = std::clamp(first_block_, range.first, last);  // in the scratch buffer
    add_run(range.first, wrap);
    add_run(wrap, last);
  }
  return runs;
}

std::size_t LoweredSchedule::runs_a_message(std::size_t runs) const {
  if (form_.noncontiguous == algorithms::Noncontiguous::pipelined) return 1;
  return form_.batch > 0 ? static_cast<std::size_t>(form_.batch) : runs;
}

Piece LoweredSchedule::pack(std::span<const Piece> pieces, bool outgoing,
                            std::int64_t& packed_end) {
  const std::int64_t begin = packed_end;
  for (const Piece& piece : pieces) {
    if (outgoing) {
      copies_.push_back({piece.area, piece.offset, Area::packed, packed_end, piece.bytes});
    } else {
      copies_.push_back({Area::packed, packed_end, piece.area, piece.offset, piece.bytes});
    }
    packed_end += piece.bytes;
  }
  return {Area::packed, begin, packed_end - begin};
}

void LoweredSchedule::add(const algorithms::Transfer& transfer, bool outgoing,
                          std::int64_t& packed_end) {
  const bool comes_to_contributions = !outgoing && combines_;
  std::vector<Copy> folds;
  if (comes_to_contributions) place_incoming(transfer, packed_end, folds);
  std::vector<Run> runs = runs_of(transfer, outgoing && own_of(transfer) == Own::all);
  // Blocks without bytes need no message; a transfer without blocks is a token.
  if (transfer.blocks.empty()) {
    messages_.push_back(
        {transfer.peer, {copies_.size(), copies_.size()}, {pieces_.size(), pieces_.size()}});
  }
  const std::size_t batch = runs_a_message(runs.size());
  for (std::size_t first = 0; first < runs.size(); first += batch) {
    const std::size_t first_copy = copies_.size();
    std::vector<Piece> pieces = std::move(runs[first].pieces);
    for (std::size_t i = first + 1; i < std::min(first + batch, runs.size()); ++i) {
      append(pieces, runs[i].pieces);
    }
    if (form_.noncontiguous == algorithms::Noncontiguous::packed && pieces.size() > 1) {
      pieces = {pack(pieces, outgoing, packed_end)};
    }
    const Range packing{first_copy, outgoing ? copies_.size() : first_copy};
    const std::size_t first_piece = pieces_.size();
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
    messages_.push_back({transfer.peer, packing, {first_piece, pieces_.size()}});
  }
  if (comes_to_contributions) {
    copies_.insert(copies_.end(), folds.begin(), folds.end());
    settle(transfer);
  }
}

std::vector<Message> LoweredSchedule::messages(const Range& range) const {
  std::vector<Message> messages;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const MessageEntry& entry = messages_[i];
    messages.push_back({entry.peer,
                        std::span(copies_).subspan(entry.packing.first, entry.packing.size()),
                        std::span(pieces_).subspan(entry.pieces.first, entry.pieces.size())});
  }
  return messages;
}

std::size_t LoweredSchedule::background_steps() const {
  const auto in_foreground = [](const StepEntry& entry) {
    return entry.barrier || entry.needs_own;
  };
  return static_cast<std::size_t>(std::ranges::find_if(steps_, in_foreground) - steps_.begin());
}

LoweredSchedule::Step LoweredSchedule::step(std::size_t i) const {
  const StepEntry& entry = steps_[i];
  return {entry.barrier, entry.leaves, messages(entry.sends), messages(entry.receives),
          std::span(copies_).subspan(entry.unpacking.first, entry.unpacking.size())};
}

}  // namespace gatherbench::mpi
