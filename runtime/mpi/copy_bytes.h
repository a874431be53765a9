// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace gatherbench::mpi {

/// Copies bytes that do not overlap, as std::memcpy does, in a time that does not depend on where
/// they lie. glibc copies some KiB and more by `rep movsb`, which AMD's processors do 2 to 34 times
/// slower where the destination is less than a cache line behind the source modulo a page
/// (sourceware.org bug 30994; 64 KiB in a cache: 18.7 instead of 1.1 us).
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies bytes that do not overlap past this processor's caches, for another one that reads them
/// next: so they need not be fetched from these caches, nor does this processor fetch what the
/// other one still has of the bytes before. All of them are there before any later store.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies bytes that do not overlap for another processor that reads them next, in the faster of
/// the two ways: past the caches on AMD's processors, and by copy_bytes() on all others
/// (docs/background/measured.md, "Copies within a node"). All of them are there before any later
/// store by release.
void copy_for_another(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace gatherbench::mpi
