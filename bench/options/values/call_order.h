// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/text/named.h"

// --order: which call follows which within a case.
namespace gatherbench::bench {

enum class Order {
  interleaved,  ///< round by round, each algorithm's turn once, in an order drawn anew each round
  sequential,   ///< all iterations of an algorithm, then the next algorithm
};

struct CallOrder {
  Order kind = Order::interleaved;
  /// interleaved: timed calls of a turn, which follow one that is not counted.
  std::int64_t turn = 10;

  /// Returns the text that the option takes, with the calls always said.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::array order_names{text::Named<Order>{"interleaved", Order::interleaved},
                                        text::Named<Order>{"sequential", Order::sequential}};

/// The forms of the option, for --help and messages.
inline constexpr std::array<std::string_view, 3> order_forms{"interleaved", "interleaved:CALLS",
                                                             "sequential"};

/// Throws InputError.
CallOrder parse_order(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
