// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

namespace gatherbench::bench {

enum class ElementType : std::uint8_t { of_char, of_int, of_long, of_float, of_double };

/// Calls visit(T{}) with T the C type of the elements.
template <typename Visit>
auto with_type(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::of_char:
      return visit(static_cast<signed char>(0));
    case ElementType::of_int:
      return visit(0);
    case ElementType::of_long:
      return visit(0L);
    case ElementType::of_float:
      return visit(0.0F);
    case ElementType::of_double:
      break;
  }
  return visit(0.0);
}

/// The result of `compose`, in the integer's own bits, modulo two to the half of their number.
template <typename Integer>
Integer composed(Integer first, Integer second) {
  using Bits = std::make_unsigned_t<Integer>;
  constexpr unsigned half = sizeof(Bits) * CHAR_BIT / 2;
  constexpr std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const auto f = static_cast<std::uint64_t>(static_cast<Bits>(first));
  const auto g = static_cast<std::uint64_t>(static_cast<Bits>(second));
  const std::uint64_t factor = (f >> half) * (g >> half) & mask;
  const std::uint64_t shift = ((f >> half) * (g & mask) + (f & mask)) & mask;
  return static_cast<Integer>(static_cast<Bits>(factor << half | shift));
}

}  // namespace gatherbench::bench
