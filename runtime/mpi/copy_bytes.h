// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace gatherbench::mpi {

/// Copies bytes that do not overlap, as std::memcpy does: by copy_by_vectors() on AMD's processors,
/// and by std::memcpy on all others: on an Intel one that made all-gathers faster
/// (docs/background/measured.md, "Copies on an Intel processor").
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies bytes that do not overlap for another processor that reads them next: by
/// copy_past_caches() on AMD's processors, and by std::memcpy on all others. All of them are there
/// before any later store by release.
void copy_for_another(std::byte* to, const std::byte* from, std::size_t bytes);

// These choose by the processor between std::memcpy and the two below, which tests call on any.

/// Copies in a time that does not depend on where the bytes lie, where the processor has AVX2.
/// glibc copies some KiB and more by `rep movsb`, which AMD's processors do 2 to 34 times slower
/// where the destination is less than a cache line behind the source modulo a page (sourceware.org
/// bug 30994; 64 KiB in a cache: 18.7 instead of 1.1 us).
void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes);

/// Copies past this processor's caches: so the bytes need not be fetched from these caches, nor
/// does this processor fetch what the other one still has of the bytes before.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace gatherbench::mpi
