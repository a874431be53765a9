// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

// These functions ask for Linux's transparent huge pages on this node.
namespace gatherbench::bench {

/// Returns whether the kernel is set to give them.
bool has_huge_pages();

/// Returns how many bytes of the mapping around an address lie in huge pages; none where the kernel
/// does not say.
std::optional<std::int64_t> huge_bytes_around(const std::byte* address);

/// Returns whether a buffer that asks for a huge page gets one now; true where the kernel does not
/// say.
bool gives_huge_page();

}  // namespace gatherbench::bench
