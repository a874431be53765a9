// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The times at which ranks arrive at the all-gather: process arrival patterns (Marendic 2016, 6.2;
// Proficz 2021, 4.1). They are pure functions of the pattern, the number of ranks, a seed and the
// iteration.
namespace gatherbench::arrivals {

/// No time is longer, so that no sum or draw of them overflows: some 30 years.
inline constexpr double max_us = 1e15;

/// Return the halves of a number, as words that seed a generator of random numbers.
inline std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline std::uint32_t high_half(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// A line of a trace that is neither empty nor a comment.
struct TraceLine {
  std::size_t number;      ///< in the file, from 1
  std::vector<double> us;  ///< arrival of each rank
};

/// Reads lines of arrival times in microseconds, separated by blanks or commas; `#` begins a
/// comment. Throws InputError: file, line, reason; also if there is no time at all.
std::vector<TraceLine> parse_trace(std::string_view path, std::string_view text);

struct NamedArrival;  // a row of the table of patterns, in pattern_table.h

/// A time as the user gives it: `5ms`, `1.5us`, `0.2s` or `4t`.
struct ArrivalTime {
  double number = 0;
  bool messages = false;  ///< in times of one block's message (`t`), else in microseconds
  [[nodiscard]] double us(double message_us) const {
    return messages ? number * message_us : number;
  }
};

/// Parses "5ms", "4t" or "0". Throws InputError that names `option`.
ArrivalTime parse_arrival_time(std::string_view option, std::string_view text);

/// One arrival pattern with its parameters.
struct ArrivalPattern {
  std::string label;                    ///< as the user spells it: a result's `arrival`
  const NamedArrival* named = nullptr;  ///< null: a trace
  std::vector<ArrivalTime> times = {};  ///< in the order of the row's parameters
  std::vector<double> numbers = {};     ///< rank, shape, probability, likewise
  std::vector<TraceLine> trace = {};

  /// Returns whether the pattern is `none`: every rank arrives at 0, in every iteration.
  [[nodiscard]] bool is_none() const;
  /// Returns whether one of its times is in `t`.
  [[nodiscard]] bool needs_message_time() const;
};

/// Parses a list such as `none,uniform:max=4t,gamma:shape=2,scale=1ms,trace:FILE`: a piece
/// `key=value` belongs to the name before it. Returns each different label once. `read` gives a
/// file's text. Throws InputError, which for a trace names file, line and reason.
std::vector<ArrivalPattern> parse_arrivals(
    std::string_view option, std::string_view list,
    const std::function<std::string(const std::string& path)>& read);

/// Throws InputError if the pattern cannot be for this many ranks: a rank beyond them, a trace with
/// other than p values a line.
void require_ranks(std::string_view option, const ArrivalPattern& pattern, int ranks);

/// Returns the arrival of every rank in one iteration, microseconds >= 0. `message_us` is what `t`
/// stands for. Random arrivals are the same for the same seed and iteration; a trace gives its line
/// `iteration`, cycling.
std::vector<double> arrivals_us(const ArrivalPattern& pattern, int ranks, std::uint64_t seed,
                                std::uint64_t iteration, double message_us);

/// Returns a line for each pattern, with its name, parameters and an explanation, for --help and
/// --list.
std::vector<std::string> arrival_descriptions();

}  // namespace gatherbench::arrivals
