// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/test_values.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bench/options/elements.h"

namespace gatherbench::bench {
namespace {

/// Returns a bijective mix (splitmix64) of a rank and a place.
std::uint64_t mix(int rank, std::size_t place) {
  std::uint64_t x = (static_cast<std::uint64_t>(rank) << 40) + place + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Returns the number of ranks that may have more than the neutral element in a place, so that no
/// sum or product overflows on the way (Open MPI's sums of bytes stop at the largest one), and one
/// rank still makes a difference.
template <typename T>
constexpr int most_at_a_place(Operation operation) {
  if (operation == Operation::sum) return sizeof(T) == 1 ? 18 : 1 << 20;
  if (operation != Operation::prod) return 40;
  if constexpr (std::is_floating_point_v<T>) return 100;  // 2^100 is a float
  return static_cast<int>(sizeof(T)) * CHAR_BIT - 2;
}

/// Returns whether the rank is one of those that count in a place. Each rank is, in some places.
bool takes_part(int rank, std::size_t place, int ranks, int most) {
  const int groups = (ranks + most - 1) / most;
  return rank % groups == static_cast<int>(place % static_cast<std::size_t>(groups));
}

/// Makes a number for arithmetic; a rank that does not count gives what changes nothing.
template <typename Value>
Value number(Operation operation, std::uint64_t bits, bool counts) {
  switch (operation) {
    case Operation::sum:
      return static_cast<Value>(counts ? bits % 8 : 0);
    case Operation::prod:
      return static_cast<Value>(counts && bits % 2 == 0 ? 2 : 1);
    default:  // min, max
      if (!counts) return static_cast<Value>(operation == Operation::min ? 51 : -51);
      return static_cast<Value>(static_cast<int>(bits % 101) - 50);
  }
}

/// Makes a pattern of bits; most or few are set, or little would be left.
template <typename Value>
Value pattern(Operation operation, std::uint64_t bits, bool counts) {
  if (operation == Operation::band) {
    return static_cast<Value>(counts ? bits | bits >> 20 | bits >> 40 : ~std::uint64_t{0});
  }
  return static_cast<Value>(counts ? bits & bits >> 20 & bits >> 40 : 0);
}

template <typename T, typename Value>
Value contribution(Operation operation, int rank, std::size_t place, int ranks) {
  const std::uint64_t bits = mix(rank, place);
  // One rank decides in a place, and none in some places.
  const bool decides =
      place % (static_cast<std::size_t>(ranks) + 1) == static_cast<std::size_t>(rank);
  const bool counts = takes_part(rank, place, ranks, most_at_a_place<T>(operation));
  switch (operation) {
    case Operation::sum:
    case Operation::prod:
    case Operation::min:
    case Operation::max:
      return number<Value>(operation, bits, counts);
    case Operation::band:
    case Operation::bor:
      return pattern<Value>(operation, bits, counts);
    case Operation::land:
      return static_cast<Value>(decides ? 0 : 1);
    case Operation::lor:
      return static_cast<Value>(decides ? 1 : 0);
    case Operation::lxor:
      return static_cast<Value>(bits % 2);
    case Operation::compose:
      // Odd factors, or their product would soon be 0.
      return static_cast<Value>(bits | std::uint64_t{1} << (sizeof(T) * CHAR_BIT / 2));
    case Operation::bxor:
      break;
  }
  return static_cast<Value>(bits);
}

template <typename T>
T of_truths(Operation operation, bool a, bool b) {
  switch (operation) {
    case Operation::land:
      return static_cast<T>(a && b ? 1 : 0);
    case Operation::lor:
      return static_cast<T>(a || b ? 1 : 0);
    default:  // lxor
      return static_cast<T>(a != b ? 1 : 0);
  }
}

template <typename T>
T of_integers(Operation operation, T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  const auto wrapped = [](std::uint64_t bits) { return static_cast<T>(static_cast<Bits>(bits)); };
  const auto wide = [](T value) { return static_cast<std::uint64_t>(static_cast<Bits>(value)); };
  switch (operation) {
    case Operation::sum:
      return wrapped(wide(a) + wide(b));
    case Operation::prod:
      return wrapped(wide(a) * wide(b));
    case Operation::band:
      return wrapped(wide(a) & wide(b));
    case Operation::bor:
      return wrapped(wide(a) | wide(b));
    case Operation::bxor:
      return wrapped(wide(a) ^ wide(b));
    case Operation::land:
    case Operation::lor:
    case Operation::lxor:
      return of_truths<T>(operation, a != 0, b != 0);
    case Operation::compose:
      return composed(a, b);
    case Operation::min:
    case Operation::max:
      break;
  }
  return operation == Operation::min ? std::min(a, b) : std::max(a, b);
}

template <typename T>
T combined(Operation operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return of_integers(operation, a, b);
  } else {
    if (operation == Operation::sum) return a + b;
    if (operation == Operation::prod) return a * b;
    return operation == Operation::min ? std::min(a, b) : std::max(a, b);
  }
}

/// Returns the element that a rank has in a place. Floating-point numbers are whole.
template <typename T>
T contribution_as(Operation operation, int rank, std::size_t place, int ranks) {
  using Value = std::conditional_t<std::is_floating_point_v<T>, int, T>;
  return static_cast<T>(contribution<T, Value>(operation, rank, place, ranks));
}

/// Writes value(first), value(first + 1), ... to the elements.
template <typename T, typename Value>
void fill(std::span<std::byte> vector, std::size_t first, Value value) {
  for (std::size_t i = 0; i < vector.size() / sizeof(T); ++i) {
    const T one = value(first + i);
    std::memcpy(&vector[i * sizeof(T)], &one, sizeof(T));
  }
}

}  // namespace

void fill_contribution(const Operator& with, std::span<std::byte> vector, int rank, int ranks,
                       std::size_t first) {
  with_type(with.type->type, [&](auto zero) {
    using T = decltype(zero);
    fill<T>(vector, first, [&](std::size_t place) {
      return contribution_as<T>(with.operation->operation, rank, place, ranks);
    });
  });
}

void fill_result(const Operator& with, std::span<std::byte> vector, int ranks, std::size_t first) {
  const Operation operation = with.operation->operation;
  with_type(with.type->type, [&](auto zero) {
    using T = decltype(zero);
    fill<T>(vector, first, [&](std::size_t place) {
      T result = contribution_as<T>(operation, 0, place, ranks);
      for (int rank = 1; rank < ranks; ++rank) {
        result = combined<T>(operation, result, contribution_as<T>(operation, rank, place, ranks));
      }
      return result;
    });
  });
}

}  // namespace gatherbench::bench
