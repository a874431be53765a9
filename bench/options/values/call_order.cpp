// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/call_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t max_calls = 1'000'000'000;

}  // namespace

std::string CallOrder::text() const {
  const std::string_view name = name_in(order_names, kind);
  return kind == Order::interleaved ? fmt::format("{}:{}", name, turn) : std::string(name);
}

CallOrder parse_order(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto row = std::ranges::find(order_names, text.substr(0, colon), &text::Named<Order>::name);
  if (row == order_names.end()) {
    throw text::unknown_name(option, "value of it", text, order_forms);
  }
  CallOrder order{.kind = row->value};
  if (colon == std::string_view::npos) return order;
  if (order.kind != Order::interleaved) {
    throw text::bad_value(option, text,
                          fmt::format("takes no calls; legal: {}", fmt::join(order_forms, ", ")));
  }
  order.turn = text::parse_integer(option, text.substr(colon + 1), 1, max_calls);
  return order;
}

}  // namespace gatherbench::bench
