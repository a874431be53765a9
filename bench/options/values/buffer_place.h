// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "formats/text/named.h"

namespace gatherbench::bench {

/// What pages a buffer lies in.
enum class Pages {
  as_usual,  ///< as the kernel does it for programs that say nothing
  small,     ///< never huge ones
  huge,      ///< huge ones (transparent), where they fit in
};

inline constexpr std::array pages_names{text::Named<Pages>{"usual", Pages::as_usual},
                                        text::Named<Pages>{"small", Pages::small},
                                        text::Named<Pages>{"huge", Pages::huge}};

/// What memory a buffer lies in.
enum class BuffersIn {
  own,     ///< the rank's own, as `new` gives it
  window,  ///< that the ranks of a node share
};

inline constexpr std::array buffers_in_names{text::Named<BuffersIn>{"private", BuffersIn::own},
                                             text::Named<BuffersIn>{"window", BuffersIn::window}};

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
inline constexpr std::int64_t page_bytes = 4096;

/// Where the send and the receive buffers lie.
struct BufferPlace {
  std::int64_t offset = 0;  ///< bytes behind the begin of a page, less than one
  Pages pages = Pages::as_usual;
  BuffersIn in = BuffersIn::own;

  /// What has to be set aside beside a buffer's own bytes.
  [[nodiscard]] std::int64_t more_bytes() const {
    if (in == BuffersIn::window) return offset + page_bytes;  // each begins a page
    return offset + (pages == Pages::as_usual ? 0 : static_cast<std::int64_t>(huge_page_bytes));
  }
};

}  // namespace gatherbench::bench
