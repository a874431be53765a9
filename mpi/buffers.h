// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace gatherbench {

/// Page-aligned bytes, so that no algorithm has a better aligned buffer than another; not set to
/// anything. Throws std::bad_alloc.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t bytes)
      : bytes_(bytes > 0 ? new (page) std::byte[static_cast<std::size_t>(bytes)] : nullptr) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  static constexpr std::align_val_t page{4096};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, page); }
  };
  std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace gatherbench
