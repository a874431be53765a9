// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/arrival_trace.h"

#include <fmt/format.h>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::arrivals {
namespace {

constexpr std::string_view blanks = " \t\r";

double parse_us(std::string_view where, std::string_view text) {
  const double us = text::parse_number(where, text);
  if (us > max_us) throw text::bad_value(where, text, fmt::format("is more than {:g}", max_us));
  return us;
}

std::vector<double> parse_times(std::string_view where, std::string_view line) {
  std::vector<double> times;
  for (const std::string_view cell : text::split(line, ',')) {
    const std::size_t before = times.size();
    for (std::size_t at = cell.find_first_not_of(blanks); at != std::string_view::npos;) {
      const std::size_t end = cell.find_first_of(blanks, at);
      times.push_back(parse_us(where, cell.substr(at, end - at)));
      at = cell.find_first_not_of(blanks, end);
    }
    if (times.size() == before) {
      throw text::InputError(fmt::format("{}: a comma has no value before or after it", where));
    }
  }
  return times;
}

}  // namespace

std::vector<TraceLine> parse_trace(std::string_view path, std::string_view text) {
  std::vector<TraceLine> lines;
  std::size_t number = 0;
  for (std::string_view line : text::split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(blanks) == std::string_view::npos) continue;
    lines.push_back({number, parse_times(fmt::format("{}:{}", path, number), line)});
  }
  if (lines.empty()) throw text::InputError(fmt::format("{}: has no line of arrival times", path));
  return lines;
}

}  // namespace gatherbench::arrivals
