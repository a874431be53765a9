// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/text/named.h"

// --buffers: the state of a rank's buffers, and of its caches, when a call begins.
namespace gatherbench::bench {

enum class BufferUse {
  same,    ///< untouched between calls, as in the OSU benchmarks
  fresh,   ///< the rank has just written what it sends, as a program has that computed it
  rotate,  ///< each call has another pair of buffers, of a ring of them
  cold,    ///< the caches hold something else
};

struct BufferChoice {
  BufferUse use = BufferUse::fresh;
  /// rotate: what the ring spans at least; cold: what is read between calls, 0: twice the cache.
  std::int64_t bytes = 0;

  /// As the option takes it, the bytes as a plain number.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::array buffer_names{text::Named<BufferUse>{"same", BufferUse::same},
                                         text::Named<BufferUse>{"fresh", BufferUse::fresh},
                                         text::Named<BufferUse>{"rotate", BufferUse::rotate},
                                         text::Named<BufferUse>{"cold", BufferUse::cold}};

/// For --help and messages.
inline constexpr std::array<std::string_view, 5> buffer_forms{"same", "fresh", "rotate:BYTES",
                                                              "cold", "cold:BYTES"};

/// From one of these forms, BYTES as --sizes takes them. Throws InputError.
BufferChoice parse_buffers(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
