// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/other_bytes.h"

#include <cstddef>
#include <cstring>

namespace gatherbench::bench {

OtherBytes::OtherBytes(std::int64_t bytes) : bytes_(bytes), buffer_(bytes) {
  if (bytes > 0) std::memset(buffer_.data(), 1, static_cast<std::size_t>(bytes));
}

void OtherBytes::read() const {
  constexpr std::int64_t line = 64;
  // volatile: nobody uses what is read, and it has to be read all the same.
  const volatile std::byte* const bytes = buffer_.data();
  for (std::int64_t at = 0; at < bytes_; at += line) static_cast<void>(bytes[at]);
}

}  // namespace gatherbench::bench
