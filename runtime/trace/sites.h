// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gatherbench::trace {

/// Call sites, by the address that a call returns to, numbered as they come.
class Sites {
 public:
  Sites() : slots_(64) {}

  std::uint32_t number(const void* address);
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// `NUMBER <tab> ADDRESS <tab> SYMBOL+OFFSET <tab> MODULE`: the address is the module's own, as
  /// addr2line takes it; the symbol is empty where the module does not export it.
  [[nodiscard]] std::vector<std::string> lines_from(std::uint32_t first) const;

 private:
  struct Slot {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  Slot& slot_of(const void* address);

  std::vector<Slot> slots_;  // open addressing; a power of two, half empty at least
  std::uint32_t count_ = 0;
};

}  // namespace gatherbench::trace
