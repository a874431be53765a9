// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/channel.h"

#include <algorithm>
#include <cstring>

#include "runtime/mpi/copy_bytes.h"

namespace gatherbench::mpi {
namespace {

/// A receiver that has to read first what another rank of the list sends later would wait for ever
/// if bytes moved to all receivers or to none. So they go by way of slots, which are each
/// receiver's own, after so many attempts.
constexpr int most_waits = 1000;

}  // namespace

Cursor::Cursor(std::span<const Strided> pieces) : pieces_(pieces) {
  for (const Strided& piece : pieces) left_ += piece.each * piece.count;
}

template <class Copy>
void Cursor::go(std::size_t bytes, Copy copy) {
  left_ -= bytes;
  while (bytes > 0) {
    const Strided& piece = pieces_.front();
    const std::size_t now = std::min(bytes, piece.each - offset_);
    copy(piece.begin + run_ * piece.step + offset_, now);
    bytes -= now;
    offset_ += now;
    if (offset_ < piece.each) continue;
    offset_ = 0;
    if (++run_ < piece.count) continue;
    run_ = 0;
    pieces_ = pieces_.subspan(1);
  }
}

void Cursor::read(std::byte* to, std::size_t bytes) {
  go(bytes, [&to](const std::byte* from, std::size_t some) {
    copy_bytes(to, from, some);
    to += some;
  });
}

void Cursor::read_for_another(std::byte* to, std::size_t bytes) {
  go(bytes, [&to](const std::byte* from, std::size_t some) {
    copy_for_another(to, from, some);
    to += some;
  });
}

void Cursor::write(const std::byte* from, std::size_t bytes) {
  go(bytes, [&from](std::byte* to, std::size_t some) {
    copy_bytes(to, from, some);
    from += some;
  });
}

void Cursor::skip(std::size_t bytes) {
  go(bytes, [](const std::byte* /*from*/, std::size_t /*some*/) {});
}

std::span<const std::byte> Cursor::run() const {
  const Strided& piece = pieces_.front();
  return {piece.begin + run_ * piece.step + offset_, piece.each - offset_};
}

bool PutEnd::has_empty_slot() {
  // Acquire: the receiver has read the slot before the sender writes to it again.
  if (put_ - taken_ == Channel::slots) taken_ = channel_->taken.load(std::memory_order_acquire);
  return put_ - taken_ < Channel::slots;
}

bool PutEnd::has_emptied(std::uint64_t filled) {
  // Acquire: the receiver has read the bytes before they are written again.
  if (taken_ < filled) taken_ = channel_->taken.load(std::memory_order_acquire);
  return taken_ >= filled;
}

bool PutEnd::can_lend(std::span<const std::byte> run) const {
  // Addresses are compared as whole numbers, since pointers into two objects cannot be compared.
  const auto begin = reinterpret_cast<std::uintptr_t>(readable_.data());
  const auto at = reinterpret_cast<std::uintptr_t>(run.data());
  const bool is_readable = at >= begin && at + run.size() <= begin + readable_.size();
  return is_readable && run.size() >= Channel::least_referred;
}

void PutEnd::fill(Held held) {
  // Just before the count, in whose cache line it lies: a receiver that waits reads that all the
  // time.
  channel_->held[put_ % Channel::slots] = held;
  // Release: who sees the count sees the bytes.
  channel_->put.store(++put_, std::memory_order_release);
}

void PutEnd::refer(std::int64_t offset, std::size_t bytes, Held where) {
  const Reference reference{offset, static_cast<std::int64_t>(bytes)};
  std::memcpy(channel_->data[put_ % Channel::slots].data(), &reference, sizeof reference);
  fill(where);
}

bool PutEnd::advance(Cursor& transfer) {
  bool moved = false;
  while (transfer.left() > 0 && has_empty_slot()) {
    const std::span<const std::byte> run = transfer.run();
    if (can_lend(run)) {
      refer(run.data() - readable_.data(), run.size(), Held::lent);
      lent_ = put_;
      transfer.skip(run.size());
    } else {
      transfer.read(channel_->data[put_ % Channel::slots].data(),
                    std::min(transfer.left(), Channel::slot_bytes));
      fill(Held::bytes);
    }
    moved = true;
  }
  return moved;
}

void PutEnd::put_staged(std::int64_t offset, std::size_t bytes) {
  refer(offset, bytes, Held::staged);
}

bool PutEnd::has_ended(const Cursor& transfer) {
  return transfer.left() == 0 && has_emptied(lent_);
}

bool Stage::make_room(std::size_t needed) {
  if (used_ + needed <= half_bytes) return true;
  std::vector<Reader>& readers = readers_[1 - half_];
  const bool has_been_read = std::ranges::all_of(
      readers, [](const Reader& reader) { return reader.end->has_emptied(reader.filled); });
  if (!has_been_read) return false;
  readers.clear();
  half_ = 1 - half_;
  used_ = 0;
  return true;
}

bool Stage::put(Cursor& transfer, std::span<PutEnd* const> receivers) {
  const std::size_t staged = std::min(transfer.left(), half_bytes);
  const auto has_empty_slot = [](PutEnd* end) { return end->has_empty_slot(); };
  if (!std::ranges::all_of(receivers, has_empty_slot) || !make_room(staged)) return false;
  const std::size_t offset = half_ * half_bytes + used_;
  transfer.read_for_another(memory_.data() + offset, staged);
  used_ += (staged + Channel::lines - 1) / Channel::lines * Channel::lines;
  for (PutEnd* const end : receivers) {
    end->put_staged(static_cast<std::int64_t>(offset), staged);
    readers_[half_].push_back({end, end->filled()});
  }
  return true;
}

void TakeEnd::take(std::size_t slot, Cursor& transfer) const {
  const std::byte* const data = channel_->data[slot].data();
  const Held held = channel_->held[slot];
  if (held == Held::bytes) {
    transfer.write(data, std::min(transfer.left(), Channel::slot_bytes));
    return;
  }
  Reference reference{};
  std::memcpy(&reference, data, sizeof reference);
  const std::byte* const begin = held == Held::lent ? readable_ : stage_;
  transfer.write(begin + reference.offset, static_cast<std::size_t>(reference.bytes));
}

bool TakeEnd::advance(Cursor& transfer) {
  bool moved = false;
  while (transfer.left() > 0) {
    if (put_ == taken_) put_ = channel_->put.load(std::memory_order_acquire);
    if (put_ == taken_) break;
    take(taken_ % Channel::slots, transfer);
    channel_->taken.store(++taken_, std::memory_order_release);
    moved = true;
  }
  return moved;
}

void Copies::put(std::span<PutEnd* const> to, std::span<const Strided> pieces, Stage& stage) {
  const Cursor cursor(pieces);
  const std::size_t least = to.size() > 1 ? Stage::least_for_several : Stage::least_for_one;
  if (cursor.left() >= least && !to.front()->can_lend(cursor.run())) {
    staged_.push_back({to, cursor, &stage});
  } else {
    put_by_slots(to, cursor);
  }
}

void Copies::put_by_slots(std::span<PutEnd* const> to, const Cursor& cursor) {
  for (PutEnd* const end : to) puts_.push_back({end, cursor});
}

template <class End>
bool Copies::advance(std::vector<OnItsWay<End>>& transfers) {
  bool moved = false;
  for (OnItsWay<End>& one : transfers) moved = one.end->advance(one.cursor) || moved;
  const auto ended =
      std::erase_if(transfers, [](const auto& one) { return one.end->has_ended(one.cursor); });
  return moved || ended > 0;
}

bool Copies::advance_staged() {
  bool moved = false;
  for (Staged& one : staged_) {
    while (one.cursor.left() > 0 && one.stage->put(one.cursor, one.to)) {
      one.waits = 0;
      moved = true;
    }
    ++one.waits;
  }
  std::erase_if(staged_, [this](const Staged& one) {
    const bool gives_up = one.waits > most_waits && one.cursor.left() > 0;
    if (gives_up) put_by_slots(one.to, one.cursor);
    return gives_up || one.cursor.left() == 0;
  });
  return moved;
}

bool Copies::advance() {
  // Puts go first, since others wait for them.
  const bool staged = !staged_.empty() && advance_staged();
  const bool put = advance(puts_);
  return advance(takes_) || put || staged;
}

}  // namespace gatherbench::mpi
