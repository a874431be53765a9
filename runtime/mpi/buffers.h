// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {

enum class Memory {
  own,     ///< what is written there can be read
  folded,  ///< of simulated ranks: addresses that all ranks share, for bytes that nobody looks at
};

struct FreeBytes {
  static constexpr std::align_val_t page{4096};
  Memory memory = Memory::own;
  void operator()(std::byte* bytes) const {
    if (memory == Memory::folded) {
      free_folded(bytes);
    } else {
      ::operator delete[](bytes, page);
    }
  }
};

/// Page-aligned bytes, so that no algorithm has a better aligned buffer than another; not set to
/// anything. Throws std::bad_alloc.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t bytes, Memory memory = Memory::own)
      : bytes_(bytes > 0 ? allocate(static_cast<std::size_t>(bytes), memory) : nullptr,
               FreeBytes{memory}) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  static std::byte* allocate(std::size_t bytes, Memory memory) {
    return memory == Memory::folded ? allocate_folded(bytes)
                                    : new (FreeBytes::page) std::byte[bytes];
  }
  std::unique_ptr<std::byte[], FreeBytes> bytes_;
};

}  // namespace gatherbench::mpi
