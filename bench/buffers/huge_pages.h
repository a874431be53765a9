// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

// Linux's transparent huge pages on this node.
namespace gatherbench::bench {

/// Whether the kernel is set to give them.
bool has_huge_pages();

/// Bytes in huge pages of the mapping that an address lies in; none where the kernel does not say.
std::optional<std::int64_t> huge_bytes_around(const std::byte* address);

/// Whether a buffer that asks for a huge page gets one now. True where the kernel does not say.
bool gives_huge_page();

}  // namespace gatherbench::bench
