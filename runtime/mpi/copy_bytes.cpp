// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/copy_bytes.h"

#include <cstdint>
#include <cstring>

// ThreadSanitizer sees no accesses by intrinsics.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#define GATHERBENCH_HAS_VECTORS
#include <immintrin.h>
#endif

namespace gatherbench::mpi {
namespace {

#ifdef GATHERBENCH_HAS_VECTORS

/// No library copies less by `rep movsb`; of more the caches hold neither end, and all ways take as
/// long as the memory.
constexpr std::size_t least_ours = 2048;
constexpr std::size_t most_ours = std::size_t{4} << 20;

constexpr std::size_t vector_bytes = 32;
constexpr std::size_t turn_bytes = 4 * vector_bytes;

[[gnu::target("avx2")]] __m256i load(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

[[gnu::target("avx2")]] void store(std::byte* to, __m256i bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}

[[gnu::target("avx2")]] void copy_turn(std::byte* to, const std::byte* from) {
  const __m256i first = load(from);
  const __m256i second = load(from + vector_bytes);
  const __m256i third = load(from + 2 * vector_bytes);
  const __m256i fourth = load(from + 3 * vector_bytes);
  store(to, first);
  store(to + vector_bytes, second);
  store(to + 2 * vector_bytes, third);
  store(to + 3 * vector_bytes, fourth);
}

/// Copies at least turn_bytes bytes, by vectors that do not cross cache lines of the destination.
/// A load waits for an earlier store whose address is the same modulo a page, so the copy goes away
/// from such stores: backwards where the destination is less than half a page behind the source.
[[gnu::target("avx2")]] void copy_turns(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const auto place = reinterpret_cast<std::uintptr_t>(to);
  const std::uintptr_t behind = (place - reinterpret_cast<std::uintptr_t>(from)) % page;
  copy_turn(to, from);
  copy_turn(to + bytes - turn_bytes, from + bytes - turn_bytes);
  if (behind < page / 2) {
    std::size_t end = bytes - (place + bytes) % vector_bytes;
    for (; end >= turn_bytes; end -= turn_bytes) {
      copy_turn(to + end - turn_bytes, from + end - turn_bytes);
    }
  } else {
    std::size_t begin = vector_bytes - place % vector_bytes;
    for (; begin + turn_bytes <= bytes; begin += turn_bytes) copy_turn(to + begin, from + begin);
  }
}

#endif

bool is_of_amd() {
#ifdef GATHERBENCH_HAS_VECTORS
  static const bool is = __builtin_cpu_is("amd") != 0;
  return is;
#else
  return false;
#endif
}

}  // namespace

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (is_of_amd()) {
    copy_by_vectors(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

void copy_for_another(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (is_of_amd()) {
    copy_past_caches(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef GATHERBENCH_HAS_VECTORS
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (bytes >= least_ours && bytes <= most_ours && has_avx2) {
    copy_turns(to, from, bytes);
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef GATHERBENCH_HAS_VECTORS
  constexpr std::size_t aligned = sizeof(__m128i);
  const std::size_t begin = (aligned - reinterpret_cast<std::uintptr_t>(to) % aligned) % aligned;
  if (bytes >= begin + aligned) {
    std::memcpy(to, from, begin);
    std::size_t i = begin;
    for (; i + aligned <= bytes; i += aligned) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
    std::memcpy(to + i, from + i, bytes - i);
    _mm_sfence();
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace gatherbench::mpi
