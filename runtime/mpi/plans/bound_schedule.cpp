// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/bound_schedule.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/mpi/copy_bytes.h"
#include "runtime/mpi/plans/byte_types.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/wait.h"

namespace gatherbench::mpi {
namespace {

// Messages of a pair of ranks never overtake each other, so one tag serves all steps. Tokens that a
// step left on their way may be overtaken by blocks.
constexpr int tag_of_blocks = 0;
constexpr int tag_of_tokens = 1;

/// Returns the distance as MPI counts it, which holds also from one buffer to another.
std::int64_t bytes_between(const std::byte* from, const std::byte* to) {
  MPI_Aint start = 0;
  MPI_Aint end = 0;
  require(MPI_Get_address(from, &start), "MPI_Get_address");
  require(MPI_Get_address(to, &end), "MPI_Get_address");
  return end - start;
}

}  // namespace

void BoundSchedule::bind(const LoweredSchedule& lowered, const std::byte* send,
                         std::byte* receive) {
  send_ = send;
  receive_ = receive;
  if (lowered.scratch_bytes() > scratch_bytes_) {
    scratch_bytes_ = lowered.scratch_bytes();
    scratch_ = Buffer(scratch_bytes_, memory_);
  }
  if (lowered.packed_bytes() > packed_bytes_) {
    packed_bytes_ = lowered.packed_bytes();
    packed_ = Buffer(packed_bytes_, memory_);
  }
  types_.clear();
  if (lowered.element() != element_.element()) element_ = ElementType(lowered.element());
  messages_.clear();
  transfers_.clear();
  ends_.clear();
  pieces_.clear();
  copies_.clear();
  steps_.clear();
  prologue_ = add(lowered.prologue());
  for (std::size_t s = 0; s < lowered.steps(); ++s) {
    const LoweredSchedule::Step step = lowered.step(s);
    Step planned{};
    planned.barrier = step.barrier;
    planned.leaves = step.leaves;
    planned.receives = add(step.receives);
    planned.sends = add(step.sends);
    planned.puts = add_transfers(step.sends);
    join_receivers(planned.puts);
    planned.takes = add_transfers(step.receives);
    planned.unpacking = add(step.unpacking);
    steps_.push_back(planned);
  }
  epilogue_ = add(lowered.epilogue());
  broadcast_ = {};
  // The background can begin messages only, and no transfers through the window.
  background_steps_ = window_ == nullptr ? lowered.background_steps() : 0;
  if (!lowered.broadcast().empty()) {
    broadcast_ = bound({lowered.broadcast_root(), {}, lowered.broadcast()});
  }
}

std::byte* BoundSchedule::address(Area area, std::int64_t offset_of_data) const {
  const std::int64_t offset = element_.in_memory(area, offset_of_data);
  switch (area) {
    case Area::send:
      // MPI's calls take a non-const buffer for receives; the send buffer is never one.
      return const_cast<std::byte*>(send_) + offset;
    case Area::receive:
      return receive_ + offset;
    case Area::scratch:
      return scratch_.data() + offset;
    case Area::packed:
      return packed_.data() + offset;
  }
  return nullptr;
}

Range BoundSchedule::add(std::span<const Copy> copies) {
  const std::size_t first = copies_.size();
  for (const Copy& copy : copies) {
    // Nobody looks at folded bytes. Copies take no simulated time, but an operator may.
    if (memory_ == Memory::folded && copy.incoming == algorithms::Incoming::store) continue;
    copies_.push_back(byte_copy(copy));
  }
  return {first, copies_.size()};
}

BoundSchedule::ByteCopy BoundSchedule::byte_copy(const Copy& copy) const {
  ByteCopy one{address(copy.to, copy.to_offset), address(copy.from, copy.from_offset),
               static_cast<std::size_t>(copy.bytes), copy.incoming};
  const Element& element = element_.element();
  if (!element.has_gaps()) return one;
  const auto step_in = [&](Area area) {
    return ElementType::is_users(area) ? element.extent : element.bytes;
  };
  one.bytes = static_cast<std::size_t>(element.bytes);
  one.elements = copy.bytes / element.bytes;
  one.to_step = step_in(copy.to);
  one.from_step = step_in(copy.from);
  return one;
}

Range BoundSchedule::add(std::span<const Message> messages) {
  const std::size_t first = messages_.size();
  for (const Message& message : messages) {
    if (goes_through_window(message)) continue;
    messages_.push_back(bound(message));
    messages_.back().packing = add(message.packing);
  }
  return {first, messages_.size()};
}

Range BoundSchedule::add_transfers(std::span<const Message> messages) {
  const std::size_t first = transfers_.size();
  for (const Message& message : messages) {
    if (!goes_through_window(message)) continue;
    // All messages of a peer are one transfer.
    if (transfers_.size() == first || transfers_.back().peer != message.peer) {
      transfers_.push_back(
          {.peer = message.peer, .pieces = {pieces_.size(), 0}, .packing = {copies_.size(), 0}});
    }
    for (const Piece& piece : message.pieces) pieces_.push_back(strided(piece));
    transfers_.back().pieces.last = pieces_.size();
    add(message.packing);
    transfers_.back().packing.last = copies_.size();
  }
  return {first, transfers_.size()};
}

void BoundSchedule::join_receivers(const Range& puts) {
  ends_.resize(transfers_.size());
  std::size_t first = puts.first;
  for (std::size_t i = puts.first; i < puts.last; ++i) {
    ends_[i] = &window_->to(transfers_[i].peer);
    if (i == puts.first) continue;
    const bool same = transfers_[i].packing.size() == 0 &&
                      std::ranges::equal(pieces_of(transfers_[first]), pieces_of(transfers_[i]));
    if (same) {
      ++transfers_[first].receivers;
    } else {
      first = i;
    }
  }
}

Strided BoundSchedule::strided(const Piece& piece) const {
  std::byte* const begin = address(piece.area, piece.offset);
  const Element& element = element_.element();
  if (!element.has_gaps() || !ElementType::is_users(piece.area)) {
    return {begin, static_cast<std::size_t>(piece.bytes)};
  }
  return {begin, static_cast<std::size_t>(element.bytes),
          static_cast<std::size_t>(piece.bytes / element.bytes),
          static_cast<std::size_t>(element.extent)};
}

BoundSchedule::BoundMessage BoundSchedule::bound(const Message& message) {
  if (message.pieces.empty()) {
    return {.count = 0, .type = MPI_CHAR, .peer = message.peer, .tag = tag_of_tokens};
  }
  const Piece& first = message.pieces[0];
  if (message.pieces.size() > 1) {
    std::byte* const base = address(first.area, 0);
    std::vector<Piece> pieces(message.pieces.begin(), message.pieces.end());
    for (Piece& piece : pieces) {  // which may lie in several buffers
      piece.offset = element_.in_memory(piece.area, piece.offset) +
                     bytes_between(base, address(piece.area, 0));
    }
    types_.push_back(make_pieces_type(pieces, element_));
    return {base, 1, types_.back().get(), message.peer, tag_of_blocks};
  }
  void* const buffer = address(first.area, first.offset);
  const std::int64_t count = first.bytes / element_.bytes(first.area);
  if (count <= max_plain_bytes) {
    return {buffer, static_cast<int>(count), element_.type(first.area), message.peer,
            tag_of_blocks};
  }
  types_.push_back(make_pieces_type({{{first.area, 0, first.bytes}}}, element_));
  return {buffer, 1, types_.back().get(), message.peer, tag_of_blocks};
}

void BoundSchedule::copy(const Range& range) const {
  if (memory_ == Memory::device) {
    copy_on_device(range);
    return;
  }
  for (std::size_t i = range.first; i < range.last; ++i) {
    const ByteCopy& one = copies_[i];
    if (one.incoming != algorithms::Incoming::store) {
      combine(one);
    } else if (one.elements == 1) {
      copy_bytes(one.to, one.from, one.bytes);
    } else {
      copy_elements(one);
    }
  }
}

void BoundSchedule::copy_on_device(const Range& range) const {
  if (range.size() == 0) return;
  device::Device& device = device::Current::device();
  for (const ByteCopy& one : std::span(copies_).subspan(range.first, range.size())) {
    device.copy(one.to, one.from,
                {.bytes = one.bytes,
                 .count = static_cast<std::size_t>(one.elements),
                 .to_step = static_cast<std::size_t>(one.to_step),
                 .from_step = static_cast<std::size_t>(one.from_step)});
  }
  device.wait();  // the MPI library, which reads next, knows nothing of copies
}

void BoundSchedule::copy_elements(const ByteCopy& one) {
  std::byte* to = one.to;
  const std::byte* from = one.from;
  for (std::int64_t i = 0; i < one.elements; ++i) {
    copy_bytes(to, from, one.bytes);
    to += one.to_step;
    from += one.from_step;
  }
}

void BoundSchedule::combine(const ByteCopy& bytes) const {
  const auto size = static_cast<std::int64_t>(bytes.bytes);
  if (bytes.incoming == algorithms::Incoming::combine_before) {
    mpi::combine(reduction_, bytes.from, bytes.to, size);
    return;
  }
  // MPI leaves the result where the second operand was: in what came in, an area of the plan.
  mpi::combine(reduction_, bytes.to, bytes.from, size);
  copy_bytes(bytes.to, bytes.from, bytes.bytes);
}

void BoundSchedule::communicate(const Step& step, std::vector<MPI_Request>& requests,
                                Copies& copies) const {
  if (step.puts.size() + step.takes.size() > 0) {
    const int used = post(step, 0, requests);
    begin_copies(step, copies);
    wait_for(copies, std::span(requests).first(static_cast<std::size_t>(used)), comm_);
    return;
  }
  if (step.receives.size() == 1 && step.sends.size() == 1) {
    const BoundMessage& out = messages_[step.sends.first];
    copy(out.packing);
    const BoundMessage& in = messages_[step.receives.first];
    require(MPI_Sendrecv(out.buffer, out.count, out.type, out.peer, out.tag, in.buffer, in.count,
                         in.type, in.peer, in.tag, comm_, MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
    return;
  }
  const int used = post(step, 0, requests);
  wait_all(std::span(requests).first(static_cast<std::size_t>(used)));
}

int BoundSchedule::post(const Step& step, int used, std::vector<MPI_Request>& requests) const {
  MPI_Request* request = requests.data() + used;
  for (std::size_t i = step.receives.first; i < step.receives.last; ++i) {
    const BoundMessage& in = messages_[i];
    require(MPI_Irecv(in.buffer, in.count, in.type, in.peer, in.tag, comm_, request++),
            "MPI_Irecv");
  }
  for (std::size_t i = step.sends.first; i < step.sends.last; ++i) {
    const BoundMessage& out = messages_[i];
    copy(out.packing);
    require(MPI_Isend(out.buffer, out.count, out.type, out.peer, out.tag, comm_, request++),
            "MPI_Isend");
  }
  return static_cast<int>(request - requests.data());
}

void BoundSchedule::begin_copies(const Step& step, Copies& copies) const {
  const std::span all(transfers_);
  for (std::size_t i = step.puts.first; i < step.puts.last; i += transfers_[i].receivers) {
    copy(transfers_[i].packing);
    copies.put(std::span(ends_).subspan(i, transfers_[i].receivers), pieces_of(transfers_[i]),
               window_->stage());
  }
  for (const Transfer& in : all.subspan(step.takes.first, step.takes.size())) {
    copies.take(window_->from(in.peer), pieces_of(in));
  }
}

StepMessages BoundSchedule::messages(std::size_t step) const {
  StepMessages found{.barrier = steps_[step].barrier};
  const auto add = [this](const Range& messages, const Range& transfers, std::vector<int>& peers,
                          std::int64_t& bytes) {
    for (std::size_t i = messages.first; i < messages.last; ++i) {
      MPI_Count size = 0;
      require(MPI_Type_size_x(messages_[i].type, &size), "MPI_Type_size_x");
      bytes += size * messages_[i].count;
      peers.push_back(messages_[i].peer);
    }
    for (std::size_t i = transfers.first; i < transfers.last; ++i) {
      bytes += static_cast<std::int64_t>(Cursor(pieces_of(transfers_[i])).left());
      peers.push_back(transfers_[i].peer);
    }
    std::ranges::sort(peers);
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  };
  add(steps_[step].sends, steps_[step].puts, found.to, found.sent_bytes);
  add(steps_[step].receives, steps_[step].takes, found.from, found.received_bytes);
  return found;
}

void BoundSchedule::broadcast() const {
  const BoundMessage& one = broadcast_;
  require(MPI_Bcast(one.buffer, one.count, one.type, one.peer, comm_), "MPI_Bcast");
}

void BoundSchedule::begin_broadcast(MPI_Request& request) const {
  const BoundMessage& one = broadcast_;
  require(MPI_Ibcast(one.buffer, one.count, one.type, one.peer, comm_, &request), "MPI_Ibcast");
}

void BoundSchedule::keep_buffers() {
  static std::vector<Buffer> kept;
  kept.push_back(std::exchange(scratch_, Buffer()));
  kept.push_back(std::exchange(packed_, Buffer()));
  scratch_bytes_ = packed_bytes_ = 0;
}

}  // namespace gatherbench::mpi
