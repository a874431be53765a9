// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "bench/options/options.h"

// These functions settle what of --buffers, --buffer-offset, --pages and --buffers-in depends on
// the nodes: their caches, and Linux's transparent huge pages.
namespace gatherbench::bench {

/// Returns whether the kernel of this node is set to give huge pages.
bool has_huge_pages();

/// Returns how many bytes of the mapping around an address lie in huge pages; none where the kernel
/// does not say.
std::optional<std::int64_t> huge_bytes_around(const std::byte* address);

/// Returns whether a buffer that asks for a huge page gets one now; true where the kernel does not
/// say.
bool gives_huge_page();

/// Returns the bytes of the largest cache of this node's processors, from the kernel's files in
/// `sys/devices/system/cpu` below `root`; 0 where they do not tell (some virtual machines).
std::int64_t last_level_cache(const std::filesystem::path& root = "/");

/// Returns what is done to buffers before each call. It is the same on every rank, whatever caches
/// their nodes have. Throws InputError. Collective over `world`.
BufferChoice find_buffers(const Options& options, MPI_Comm world);

/// Throws InputError if a node cannot lay buffers as asked. Collective over `world`.
void require_places(const BufferPlaces& places, MPI_Comm world);

}  // namespace gatherbench::bench
