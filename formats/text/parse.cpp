// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "formats/text/input_error.h"
#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

constexpr std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();

/// Takes the unit off the end of a size, "K", "KiB", "kB" or "B": so many bytes it is.
std::int64_t take_unit(std::string_view& size) {
  constexpr std::string_view units = "KMGT";
  for (const std::string_view ending : {"iB", "B"}) {
    if (size.ends_with(ending)) {
      size.remove_suffix(ending.size());
      break;
    }
  }
  if (size.empty()) return 1;
  const std::size_t power = units.find(static_cast<char>(size.back() & ~0x20));
  if (power == std::string_view::npos) return 1;
  size.remove_suffix(1);
  return std::int64_t{1} << (10 * (power + 1));
}

/// Throws InputError if a number stands twice.
void require_different(std::string_view option, const std::vector<int>& ranks) {
  const auto not_above = std::ranges::adjacent_find(ranks, std::ranges::greater_equal());
  if (not_above == ranks.end()) return;  // as in one range
  std::vector<int> sorted = ranks;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return;
  throw bad_value(option, fmt::to_string(*twice), "stands twice in the list");
}

}  // namespace

NumberAndRest leading_number(std::string_view option, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) throw bad_value(option, text, "is out of range");
  if (error != std::errc{} || !std::isfinite(number)) {
    throw bad_value(option, text, "is not a number");
  }
  if (std::signbit(number)) throw bad_value(option, text, "is negative");
  return {number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

void require_one_line(std::string_view option, std::string_view name) {
  if (in_one_line(name) == name) return;
  throw bad_value(option, name,
                  "has a line break or another control character; legal: names without any");
}

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t smallest,
                           std::int64_t largest) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    throw bad_value(option, text, "is not a whole number");
  }
  if (error == std::errc::result_out_of_range || value < smallest || value > largest) {
    throw bad_value(option, text, fmt::format("is not between {} and {}", smallest, largest));
  }
  return value;
}

double parse_number(std::string_view option, std::string_view text) {
  const auto [number, rest] = leading_number(option, text);
  if (!rest.empty()) throw bad_value(option, text, "is not a number");
  return number;
}

std::int64_t parse_bytes(std::string_view option, std::string_view text) {
  std::string_view digits = text;
  const std::int64_t factor = take_unit(digits);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    throw bad_value(option, text, "is not a size in bytes (write 64, 1K, 64K, 1M, 2G)");
  }
  if (error == std::errc::result_out_of_range || number > largest_integer / factor) {
    throw bad_value(option, text, "is more than 2^63 - 1 bytes");
  }
  if (number < 0) throw bad_value(option, text, "is negative: the smallest size is 1 byte");
  if (number == 0) throw bad_value(option, text, "is 0: the smallest size is 1 byte");
  return number * factor;
}

std::vector<std::int64_t> parse_bytes_list(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (const std::string_view part : split(text, ',')) {
    const std::int64_t size = parse_bytes(option, part);
    if (std::ranges::find(sizes, size) != sizes.end()) {
      throw bad_value(option, part, "stands twice in the list");
    }
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::int64_t> parse_bytes_range(std::string_view option, std::string_view text,
                                            std::int64_t largest, std::int64_t smallest) {
  const auto parts = split(text, ':');
  if (parts.size() > 2) throw bad_value(option, text, "is not of the form [MIN:]MAX");
  const bool has_smallest = parts.size() == 2;
  const std::int64_t first = has_smallest ? parse_bytes(option, parts[0]) : smallest;
  const std::int64_t last =
      parts.back().empty() && has_smallest ? largest : parse_bytes(option, parts.back());
  if (first > last && !has_smallest) {
    throw bad_value(option, text,
                    fmt::format("is less than MIN, which is {0} if it is not given; legal: "
                                "MIN:MAX, or {0} and more",
                                first));
  }
  if (first > last) {
    throw bad_value(option, text,
                    fmt::format("is reversed: MIN ({}) is more than MAX ({})", first, last));
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size *= 2) {
    sizes.push_back(size);
    if (size > largest_integer / 2) break;
  }
  return sizes;
}

std::optional<double> microseconds_in(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double us;
  };
  constexpr std::array<Unit, 6> units{
      {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6}, {"min", 60e6}, {"h", 3600e6}}};
  const auto* const found = std::ranges::find(units, unit, &Unit::name);
  return found == units.end() ? std::nullopt : std::optional(found->us);
}

double parse_duration(std::string_view option, std::string_view text) {
  const auto [number, rest] = leading_number(option, text);
  if (number == 0) throw bad_value(option, text, "is 0; legal: a time above 0");
  if (rest.empty()) {
    throw bad_value(
        option, text,
        fmt::format("has no unit of time; legal: {0}us, {0}ms, {0}s, {0}m, {0}h", text));
  }
  const std::optional<double> us = microseconds_in(rest);
  if (!us) throw bad_value(option, text, "has no known unit of time; legal: us, ms, s, m, h");
  constexpr double most_s = 1e9;  // of which a 64-bit integer counts the nanoseconds
  const double seconds = number * *us / 1e6;
  if (seconds > most_s) throw bad_value(option, text, "is more than 1e9s; legal: up to 1e9s");
  return seconds;
}

double parse_fraction(std::string_view option, std::string_view text) {
  const auto [number, rest] = leading_number(option, text);
  const double fraction = rest == "%" ? number / 100 : number;
  if ((!rest.empty() && rest != "%") || fraction <= 0 || fraction >= 1) {
    throw bad_value(option, text, "is not between 0% and 100% (write 5% or 0.05)");
  }
  return fraction;
}

std::vector<int> parse_ranks(std::string_view option, std::string_view text, int largest) {
  std::vector<int> ranks;
  for (const std::string_view part : split(text, ',')) {
    const auto numbers = split(part, ':');
    if (numbers.size() > 3) throw bad_value(option, part, "is not of the form MIN:MAX:STEP");
    const auto first = static_cast<int>(parse_integer(option, numbers[0], 1, largest));
    const int last = numbers.size() < 2
                         ? first
                         : static_cast<int>(parse_integer(option, numbers[1], 1, largest));
    const int step =
        numbers.size() < 3 ? 1 : static_cast<int>(parse_integer(option, numbers[2], 1, largest));
    if (first > last) throw bad_value(option, part, "is reversed: MIN is more than MAX");
    for (std::int64_t count = first; count <= last; count += step) {
      ranks.push_back(static_cast<int>(count));
    }
  }
  require_different(option, ranks);
  return ranks;
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace gatherbench::text
