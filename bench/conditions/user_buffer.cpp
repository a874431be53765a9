// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/user_buffer.h"

#include <sys/mman.h>

#include <memory>

namespace gatherbench::bench {

UserBuffer::UserBuffer(std::int64_t bytes, const BufferPlace& place) {
  if (bytes <= 0) return;
  if (is_of_device(place.in)) {
    auto room = static_cast<std::size_t>(place.set_aside(bytes));
    buffer_ = mpi::Buffer(place.set_aside(bytes), mpi::Memory::device);
    void* start = buffer_.data();
    std::align(page_bytes, 1, start, room);
    data_ = static_cast<std::byte*>(start) + place.offset;
    return;
  }
  const bool as_usual = place.pages == Pages::as_usual;
  // Memory that was freed before keeps the pages that it had, so other pages need a new mapping.
  buffer_ = mpi::Buffer(place.set_aside(bytes), as_usual ? mpi::Memory::own : mpi::Memory::mapped);
  data_ = buffer_.data();
  if (!as_usual) {
    // Huge pages begin at multiples of their size, and so does what is set aside behind that.
    void* start = data_;
    auto room = static_cast<std::size_t>(place.set_aside(bytes));
    std::align(huge_page_bytes, 1, start, room);
    if (place.pages == Pages::huge) room -= room % huge_page_bytes;
    data_ = static_cast<std::byte*>(start);
    // Before anything is written there. What a kernel has not, setup has refused.
    madvise(data_, room, place.pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
  data_ += place.offset;
}

UserBuffer::UserBuffer(std::int64_t bytes, const BufferPlace& place, std::span<std::byte>& room) {
  if (bytes > 0) data_ = room.data() + place.offset;
  room = room.subspan(static_cast<std::size_t>(place.set_aside(bytes)));
}

UserBuffer UserBuffer::folded(std::int64_t bytes) {
  UserBuffer folded;
  folded.buffer_ = mpi::Buffer(bytes, mpi::Memory::folded);
  folded.data_ = folded.buffer_.data();
  return folded;
}

}  // namespace gatherbench::bench
