// SPDX-License-Identifier: BSD-3-Clause
#include "bench/reduction/test_values.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bench/reduction/elements.h"

namespace gatherbench::bench {
namespace {

/// A bijective mix (splitmix64) of a rank and a place.
std::uint64_t mix(int rank, std::size_t place) {
  std::uint64_t x = (static_cast<std::uint64_t>(rank) << 40) + place + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The number of twos among the factors of a product must stay below this: 2^127 is a float.
constexpr int most_twos = 100;

template <typename T>
T contribution(Operation operation, int rank, std::size_t place) {
  const std::uint64_t bits = mix(rank, place);
  switch (operation) {
    case Operation::sum:
      return static_cast<T>(bits % 8);
    case Operation::prod:
      // Of so many ranks no more may have a two, whatever the place.
      return static_cast<T>(rank < most_twos && bits % 2 == 0 ? 2 : 1);
    case Operation::min:
    case Operation::max:
      return static_cast<T>(static_cast<int>(bits % 101) - 50);
    case Operation::band:
      return static_cast<T>(bits | bits >> 20 | bits >> 40);  // or little would be left
    case Operation::bor:
      return static_cast<T>(bits & bits >> 20 & bits >> 40);
    case Operation::land:
      return static_cast<T>(bits % 8 == 0 ? 0 : 1);
    case Operation::lor:
      return static_cast<T>(bits % 8 == 0 ? 1 : 0);
    case Operation::lxor:
      return static_cast<T>(bits % 2);
    case Operation::bxor:
    case Operation::compose:
      break;
  }
  return static_cast<T>(bits);
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
      return static_cast<T>(a != 0 && b != 0 ? 1 : 0);
    case Operation::lor:
      return static_cast<T>(a != 0 || b != 0 ? 1 : 0);
    case Operation::lxor:
      return static_cast<T>((a != 0) != (b != 0) ? 1 : 0);
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

template <typename T>
T contribution_as(Operation operation, int rank, std::size_t place) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(contribution<int>(operation, rank, place));
  } else {
    return contribution<T>(operation, rank, place);
  }
}

/// Writes value(place) to each element.
template <typename T, typename Value>
void fill(std::span<std::byte> vector, Value value) {
  for (std::size_t place = 0; place < vector.size() / sizeof(T); ++place) {
    const T one = value(place);
    std::memcpy(&vector[place * sizeof(T)], &one, sizeof(T));
  }
}

}  // namespace

void fill_contribution(const Operator& with, std::span<std::byte> vector, int rank) {
  with_type(with.type->type, [&](auto zero) {
    using T = decltype(zero);
    fill<T>(vector, [&](std::size_t place) {
      return contribution_as<T>(with.operation->operation, rank, place);
    });
  });
}

void fill_result(const Operator& with, std::span<std::byte> vector, int ranks) {
  const Operation operation = with.operation->operation;
  with_type(with.type->type, [&](auto zero) {
    using T = decltype(zero);
    fill<T>(vector, [&](std::size_t place) {
      T result = contribution_as<T>(operation, 0, place);
      for (int rank = 1; rank < ranks; ++rank) {
        result = combined<T>(operation, result, contribution_as<T>(operation, rank, place));
      }
      return result;
    });
  });
}

}  // namespace gatherbench::bench
