// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// These functions turn text into numbers. Those that can fail take the name of the option (or file
// and line) that the text came from and throw InputError with it; nothing is clamped, rounded or
// ignored.
namespace gatherbench::text {

/// Returns the parts between separators; "a,,b" has an empty one. An empty text has one part, which
/// is empty.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Throws InputError for a name with a control character: what tells a case apart stands in
/// lines of the result file, which a line break would end.
void require_one_line(std::string_view option, std::string_view name);

/// Returns a whole number in [smallest, largest].
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t smallest,
                           std::int64_t largest);

/// Returns a decimal number, not negative and finite.
double parse_number(std::string_view option, std::string_view text);

/// The decimal number, not negative and finite, that a text begins with, and what follows it.
struct NumberAndRest {
  double number;
  std::string_view rest;
};
NumberAndRest leading_number(std::string_view option, std::string_view text);

/// Returns bytes, at least 1, from "64", "1K", "64KiB", "1M", "2G" or "1T"; the units are powers of
/// 1024.
std::int64_t parse_bytes(std::string_view option, std::string_view text);

/// Returns the sizes in bytes of a list, "1K,64K,1M", in the order given. A size that stands twice
/// in the list is refused.
std::vector<std::int64_t> parse_bytes_list(std::string_view option, std::string_view text);

/// Returns the sizes in bytes of OSU's [MIN:]MAX: MIN, 2*MIN, 4*MIN ... up to MAX; "MIN:" ends at
/// `largest`, and "MAX" begins at `smallest`.
std::vector<std::int64_t> parse_bytes_range(std::string_view option, std::string_view text,
                                            std::int64_t largest, std::int64_t smallest = 1);

/// Returns the microseconds of a unit of time: "us", "ms", "s", "m" or "min", "h"; none if it is no
/// unit of time.
std::optional<double> microseconds_in(std::string_view unit);

/// Returns seconds, more than 0, from "500ms", "30s", "10m" or "2h". A number without a unit is
/// refused: who means milliseconds would wait a thousand times as long.
double parse_duration(std::string_view option, std::string_view text);

/// Returns a fraction between 0 and 1, both excluded, from "5%" or "0.05".
double parse_fraction(std::string_view option, std::string_view text);

/// Returns numbers of ranks, from 1 to `largest`, from "8", "1:300" (MIN:MAX), "8:256:8"
/// (MIN:MAX:STEP) and lists of these. A number that stands twice is refused, also where ranges
/// overlap.
std::vector<int> parse_ranks(std::string_view option, std::string_view text, int largest);

/// Returns a number of bytes as text for people, such as "1.5 GiB".
std::string human_bytes(std::int64_t bytes);

}  // namespace gatherbench::text
