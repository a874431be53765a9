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

bool PutEnd::advance(Cursor& transfer) {
  bool moved = false;
  while (transfer.left() > 0) {
    // Acquire: the receiver has read the slot before the sender writes to it again.
    if (put_ - taken_ == Channel::slots) taken_ = channel_->taken.load(std::memory_order_acquire);
    if (put_ - taken_ == Channel::slots) break;
    transfer.read(channel_->data[put_ % Channel::slots].data(),
                  std::min(transfer.left(), Channel::slot_bytes));
    // Release: who sees the count sees the bytes.
    channel_->put.store(++put_, std::memory_order_release);
    moved = true;
  }
  return moved;
}

bool TakeEnd::advance(Cursor& transfer) {
  bool moved = false;
  while (transfer.left() > 0) {
    if (put_ == taken_) put_ = channel_->put.load(std::memory_order_acquire);
    if (put_ == taken_) break;
    transfer.write(channel_->data[taken_ % Channel::slots].data(),
                   std::min(transfer.left(), Channel::slot_bytes));
    channel_->taken.store(++taken_, std::memory_order_release);
    moved = true;
  }
  return moved;
}

}  // namespace gatherbench::mpi
