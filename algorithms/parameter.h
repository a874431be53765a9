// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "algorithms/collectives/collective.h"

// The parameters that an algorithm may have, and their values.
namespace gatherbench::algorithms {

struct Algorithm;

/// A plain number; 0, as a default, is "auto": the algorithm chooses it.
struct Count {
  std::int64_t value;
  bool operator==(const Count&) const = default;
};

/// A size in bytes.
struct Bytes {
  std::int64_t value;
  bool operator==(const Bytes&) const = default;
};

/// The time of the message of one block; none: it is to be measured.
struct MessageTime {
  std::optional<std::chrono::nanoseconds> given;
  bool operator==(const MessageTime&) const = default;
};

/// The time that a message takes to start, whatever its size; none: it is to be measured.
struct StartTime {
  std::optional<std::chrono::nanoseconds> given;
  bool operator==(const StartTime&) const = default;
};

/// A list of numbers, such as "4x2": factors, or sides. If it is empty, the algorithm makes it
/// from p.
struct Numbers {
  static constexpr std::size_t most = 30;  ///< no p has more factors of 2 or more
  std::array<std::int32_t, most> list = {};
  std::size_t size = 0;

  constexpr Numbers() = default;
  constexpr Numbers(std::initializer_list<std::int32_t> numbers) : size(numbers.size()) {
    std::ranges::copy(numbers, list.begin());
  }
  /// Appends a number. There must be room for it.
  constexpr void add(std::int32_t number) { list[size++] = number; }
  [[nodiscard]] std::span<const std::int32_t> all() const& { return std::span(list).first(size); }
  void all() const&& = delete;  ///< the span would outlive its list
  bool operator==(const Numbers&) const = default;
};

/// The value of a parameter. A pointer is to an algorithm that runs inside of another.
using ParameterValue =
    std::variant<std::monostate, Count, Numbers, Bytes, MessageTime, StartTime, const Algorithm*>;

struct Parameter {
  std::string_view name;         ///< "k" of "bruck:k=4"
  std::string_view summary;      ///< for --list, with its range
  ParameterValue default_value;  ///< whose alternative every value of this parameter has
  std::int64_t min = 1;          ///< of a count, and of each number of a list
  /// The collective whose inner algorithms are legal beside the default, for a parameter whose
  /// value is an algorithm. Of the broadcast the library's own is, too.
  const collectives::Collective* kind = nullptr;
  bool is_phase = false;  ///< also those that can be phases are legal
  // The end of a count's range, if p sets one.
  std::string_view max_text = {};  ///< "p-2"
  std::int64_t (*max)(std::int64_t ranks) = nullptr;
};

inline constexpr std::size_t most_parameters = 3;

/// The parameters of an algorithm, in the order in which they are listed; each is of another kind,
/// but there may be several algorithms.
class Parameters {
 public:
  constexpr Parameters() = default;
  constexpr Parameters(std::initializer_list<Parameter> parameters) : size_(parameters.size()) {
    std::ranges::copy(parameters, parameters_.begin());
  }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] const Parameter& operator[](std::size_t i) const { return parameters_[i]; }
  [[nodiscard]] const Parameter* begin() const { return parameters_.data(); }
  [[nodiscard]] const Parameter* end() const { return parameters_.data() + size_; }

 private:
  std::array<Parameter, most_parameters> parameters_ = {};
  std::size_t size_ = 0;
};

/// The values of the parameters, in their order, and std::monostate behind them.
using ParameterValues = std::array<ParameterValue, most_parameters>;

/// Returns the value of this kind; null if there is none.
template <typename Kind>
const Kind* value_of_kind(const ParameterValues& values) {
  for (const ParameterValue& value : values) {
    if (const Kind* const found = std::get_if<Kind>(&value)) return found;
  }
  return nullptr;
}
template <typename Kind>
const Kind* value_of_kind(ParameterValues&&) = delete;  // they would be gone

}  // namespace gatherbench::algorithms
