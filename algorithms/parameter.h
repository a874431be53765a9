// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

// The one parameter that an algorithm may have, and its value.
namespace gatherbench::algorithms {

struct Algorithm;

/// A plain number.
struct Count {
  std::int64_t value;
  bool operator==(const Count&) const = default;
};

/// A size in bytes.
struct Bytes {
  std::int64_t value;
  bool operator==(const Bytes&) const = default;
};

/// How long the message of one block takes; none: it is to be measured.
struct MessageTime {
  std::optional<std::chrono::nanoseconds> given;
  bool operator==(const MessageTime&) const = default;
};

/// A pointer to an algorithm is one that runs inside of another, among the nodes.
using ParameterValue = std::variant<std::monostate, Count, Bytes, MessageTime, const Algorithm*>;

struct Parameter {
  std::string_view name;         ///< "k" of "bruck:k=4"
  std::string_view summary;      ///< for --list, with its range
  ParameterValue default_value;  ///< whose alternative every value of this parameter has
  // The range of a count.
  std::int64_t min = 1;
  std::string_view max_text = {};  ///< "p-2"
  std::int64_t (*max)(std::int64_t ranks) = nullptr;
};

}  // namespace gatherbench::algorithms
