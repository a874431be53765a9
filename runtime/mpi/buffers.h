// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runtime/device/device.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {

enum class Memory {
  own,     ///< what is written there can be read
  mapped,  ///< own, and no memory that was freed before, so that madvise decides what pages it has
  folded,  ///< of simulated ranks: addresses that all ranks share, for bytes that nobody looks at
  device,  ///< of this process's device: no byte of it may be read or written but by its copies
  pinned,  ///< own, and the device reads and writes it by itself
};

struct FreeBytes {
  static constexpr std::align_val_t page{4096};
  Memory memory = Memory::own;
  std::size_t size = 0;
  void operator()(std::byte* bytes) const {
    switch (memory) {
      case Memory::own:
        ::operator delete[](bytes, page);
        break;
      case Memory::mapped:
        munmap(bytes, size);
        break;
      case Memory::folded:
        free_folded(bytes);
        break;
      case Memory::device:
        device::Current::device().free(bytes);
        break;
      case Memory::pinned:
        device::Current::device().free_pinned(bytes);
        break;
    }
  }
};

/// Page-aligned bytes, so that no algorithm has a better aligned buffer than another; not set to
/// anything. Throws std::bad_alloc; of a device, DeviceError, and its bytes may lie elsewhere in a
/// page.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t bytes, Memory memory = Memory::own)
      : bytes_(bytes > 0 ? allocate(static_cast<std::size_t>(bytes), memory) : nullptr,
               FreeBytes{memory, static_cast<std::size_t>(bytes > 0 ? bytes : 0)}) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  static std::byte* allocate(std::size_t bytes, Memory memory) {
    switch (memory) {
      case Memory::own:
        return new (FreeBytes::page) std::byte[bytes];
      case Memory::mapped:
        return map(bytes);
      case Memory::folded:
        return allocate_folded(bytes);
      case Memory::device:
        return device::Current::device().allocate(bytes);
      case Memory::pinned:
        return device::Current::device().allocate_pinned(bytes);
    }
    return nullptr;
  }
  static std::byte* map(std::size_t bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(mapped);
  }
  std::unique_ptr<std::byte[], FreeBytes> bytes_;
};

}  // namespace gatherbench::mpi
