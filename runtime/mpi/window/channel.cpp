// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/window/channel.h"

#include <algorithm>
#include <cstring>

namespace gatherbench::mpi {

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
    std::memcpy(to, from, some);
    to += some;
  });
}

void Cursor::write(const std::byte* from, std::size_t bytes) {
  go(bytes, [&from](std::byte* to, std::size_t some) {
    std::memcpy(to, from, some);
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

bool PutEnd::refer_to(std::span<const std::byte> run) {
  // Addresses are compared as whole numbers, since pointers into two objects cannot be compared.
  const auto begin = reinterpret_cast<std::uintptr_t>(readable_.data());
  const auto at = reinterpret_cast<std::uintptr_t>(run.data());
  const bool is_readable = at >= begin && at + run.size() <= begin + readable_.size();
  const bool refers = is_readable && run.size() >= Channel::least_referred;
  if (!refers) return false;
  const Reference reference{static_cast<std::int64_t>(at - begin),
                            static_cast<std::int64_t>(run.size())};
  std::memcpy(channel_->data[put_ % Channel::slots].data(), &reference, sizeof reference);
  referred_ = put_ + 1;
  return true;
}

bool PutEnd::advance(Cursor& transfer) {
  bool moved = false;
  while (transfer.left() > 0 && has_empty_slot()) {
    const std::size_t slot = put_ % Channel::slots;
    const std::span<const std::byte> run = transfer.run();
    const bool refers = refer_to(run);
    if (refers) {
      transfer.skip(run.size());
    } else {
      transfer.read(channel_->data[slot].data(), std::min(transfer.left(), Channel::slot_bytes));
    }
    // Just before the count, in whose cache line it lies: a receiver that waits reads that all the
    // time.
    channel_->refers[slot] = refers;
    // Release: who sees the count sees the bytes.
    channel_->put.store(++put_, std::memory_order_release);
    moved = true;
  }
  return moved;
}

bool PutEnd::has_ended(const Cursor& transfer) {
  if (transfer.left() > 0) return false;
  // Acquire: the receiver has read the bytes before the caller writes there again.
  if (taken_ < referred_) taken_ = channel_->taken.load(std::memory_order_acquire);
  return taken_ >= referred_;
}

void TakeEnd::take(std::size_t slot, Cursor& transfer) const {
  const std::byte* const data = channel_->data[slot].data();
  if (!channel_->refers[slot]) {
    transfer.write(data, std::min(transfer.left(), Channel::slot_bytes));
    return;
  }
  Reference reference{};
  std::memcpy(&reference, data, sizeof reference);
  transfer.write(readable_ + reference.offset, static_cast<std::size_t>(reference.bytes));
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

template <class End>
bool Copies::advance(std::vector<OnItsWay<End>>& transfers) {
  bool moved = false;
  for (OnItsWay<End>& one : transfers) moved = one.end->advance(one.cursor) || moved;
  const auto ended =
      std::erase_if(transfers, [](const auto& one) { return one.end->has_ended(one.cursor); });
  return moved || ended > 0;
}

bool Copies::advance() {
  const bool put = advance(puts_);  // first, since others wait for it
  return advance(takes_) || put;
}

}  // namespace gatherbench::mpi
