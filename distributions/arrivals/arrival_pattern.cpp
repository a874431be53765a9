// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/arrival_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "distributions/arrivals/pattern_table.h"
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

namespace {

constexpr std::string_view trace_prefix = "trace:";
constexpr std::string_view trace_signature = "trace:PATH";
constexpr int max_ranks = 1 << 24;
constexpr double max_number = 1e6;  // with max_us, far from overflow

std::vector<std::string_view> legal_names() {
  std::vector<std::string_view> names;
  for (const NamedArrival& row : named_arrivals()) names.push_back(row.name);
  names.push_back(trace_signature);
  return names;
}

/// Returns the text of each pattern: the piece that begins it, with those that continue it. Throws
/// InputError if the first piece begins none.
std::vector<std::string_view> patterns_in(std::string_view option, std::string_view list) {
  std::vector<std::string_view> patterns;
  for (const std::string_view piece : text::split(list, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || piece.find(':') < equals) {
      patterns.push_back(piece);
    } else if (!patterns.empty()) {
      patterns.back() = {patterns.back().data(), piece.data() + piece.size()};
    } else {
      throw text::bad_value(option, piece,
                            "is a parameter with no pattern before it (NAME:KEY=VALUE)");
    }
  }
  return patterns;
}

double parse_other(std::string_view option, ArrivalValue kind, std::string_view text) {
  if (kind == ArrivalValue::rank) {
    return static_cast<double>(text::parse_integer(option, text, 0, max_ranks - 1));
  }
  const double number = text::parse_number(option, text);
  if (kind == ArrivalValue::probability && number > 1) {
    throw text::bad_value(option, text, "is not between 0 and 1");
  }
  if (kind == ArrivalValue::positive && (number == 0 || number > max_number)) {
    throw text::bad_value(option, text,
                          fmt::format("is not more than 0 and up to {:.0f}", max_number));
  }
  return number;
}

/// Returns the value of each parameter of the row, empty if it is not given. Throws InputError if
/// `pattern` is not written as the row's patterns are.
std::vector<std::string_view> values_of(std::string_view option, const NamedArrival& row,
                                        std::string_view pattern) {
  std::vector<std::string_view> values(row.parameters.size());
  std::vector<std::string_view> names;
  for (const ArrivalParameter& parameter : row.parameters) names.push_back(parameter.name);
  if (pattern == row.name) return values;
  if (names.empty()) throw text::bad_value(option, pattern, "gives a parameter to what takes none");
  if (pattern[row.name.size()] != ':') {
    throw text::bad_value(
        option, pattern,
        fmt::format("has no ':' before its parameters; it is written {}", signature(row)));
  }
  for (const std::string_view pair : text::split(pattern.substr(row.name.size() + 1), ',')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(equals).size() < 2) {
      throw text::bad_value(
          option, pattern,
          fmt::format("has '{}', which is not KEY=VALUE; it is written {}", pair, signature(row)));
    }
    const std::string_view key = pair.substr(0, equals);
    const auto found = std::ranges::find(names, key);
    if (found == names.end()) {
      throw text::unknown_name(option, fmt::format("parameter of {}", row.name), key, names);
    }
    std::string_view& value = values[static_cast<std::size_t>(found - names.begin())];
    if (!value.empty()) throw text::bad_value(option, pattern, fmt::format("gives {} twice", key));
    value = pair.substr(equals + 1);
  }
  return values;
}

ArrivalPattern parse_named(std::string_view option, std::string_view text) {
  const std::string_view name = text.substr(0, text.find_first_of(":,"));
  const auto row = std::ranges::find(named_arrivals(), name, &NamedArrival::name);
  if (row == named_arrivals().end()) {
    throw text::unknown_name(option, "arrival pattern", name, legal_names());
  }
  ArrivalPattern pattern{.label = std::string(text), .named = &*row};
  const std::vector<std::string_view> values = values_of(option, *row, text);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ArrivalParameter& parameter = row->parameters[i];
    const std::string where = fmt::format("{} {}:{}", option, name, parameter.name);
    if (values[i].empty() && !parameter.default_value) {
      throw text::bad_value(
          option, text,
          fmt::format("has no {}; it is written {}", parameter.name, signature(*row)));
    }
    if (parameter.kind == ArrivalValue::time) {
      pattern.times.push_back(parse_arrival_time(where, values[i]));
    } else {
      pattern.numbers.push_back(values[i].empty() ? *parameter.default_value
                                                  : parse_other(where, parameter.kind, values[i]));
    }
  }
  return pattern;
}

}  // namespace

ArrivalTime parse_arrival_time(std::string_view option, std::string_view text) {
  const auto [number, rest] = text::leading_number(option, text);
  if (number == 0 && rest.empty()) return {};
  const bool messages = rest == "t";
  const std::optional<double> us = messages ? 1 : text::microseconds_in(rest);
  if (!us || *us > 1e6) {  // ranks that are minutes apart are a slip
    throw text::bad_value(option, text,
                          rest.empty()
                              ? "has no unit; legal: us, ms, s, t (times of one block's message)"
                              : "has a unit that is none of us, ms, s, t (times of one block's "
                                "message)");
  }
  const ArrivalTime time{number * *us, messages};
  if (time.number > max_us) {
    throw text::bad_value(option, text,
                          fmt::format("is more than {:g} {}", max_us, time.messages ? "t" : "us"));
  }
  return time;
}

bool ArrivalPattern::is_none() const { return named == &named_arrivals().front(); }

bool ArrivalPattern::needs_message_time() const {
  return std::ranges::any_of(times, &ArrivalTime::messages);
}

std::vector<ArrivalPattern> parse_arrivals(
    std::string_view option, std::string_view list,
    const std::function<std::string(const std::string& path)>& read) {
  std::vector<ArrivalPattern> chosen;
  for (const std::string_view text : patterns_in(option, list)) {
    if (std::ranges::find(chosen, text, &ArrivalPattern::label) != chosen.end()) continue;
    if (!text.starts_with(trace_prefix)) {
      chosen.push_back(parse_named(option, text));
      continue;
    }
    text::require_one_line(option, text);
    const std::string path(text.substr(trace_prefix.size()));
    if (path.empty()) {
      throw text::bad_value(option, text, "names no file; it is written trace:PATH");
    }
    chosen.push_back({.label = std::string(text), .trace = parse_trace(path, read(path))});
  }
  return chosen;
}

void require_ranks(std::string_view option, const ArrivalPattern& pattern, int ranks) {
  for (const TraceLine& line : pattern.trace) {
    if (line.us.size() == static_cast<std::size_t>(ranks)) continue;
    throw text::InputError(fmt::format("{}:{}: has {} values for {} ranks; it needs one a rank",
                                       pattern.label.substr(trace_prefix.size()), line.number,
                                       line.us.size(), ranks));
  }
  if (pattern.named == nullptr) return;
  std::size_t number = 0;
  for (const ArrivalParameter& parameter : pattern.named->parameters) {
    if (parameter.kind == ArrivalValue::time) continue;
    if (parameter.kind == ArrivalValue::rank && pattern.numbers[number] >= ranks) {
      throw text::bad_value(
          option, pattern.label,
          fmt::format("has a rank beyond the {} there are; legal: 0 to {}", ranks, ranks - 1));
    }
    ++number;
  }
}

std::vector<double> arrivals_us(const ArrivalPattern& pattern, int ranks, std::uint64_t seed,
                                std::uint64_t iteration, double message_us) {
  if (pattern.named == nullptr) return pattern.trace[iteration % pattern.trace.size()].us;
  std::vector<double> times;
  for (const ArrivalTime& time : pattern.times) times.push_back(time.us(message_us));
  // Patterns share their draws, so that two which differ in a time alone differ by that factor. The
  // last word keeps these draws apart from what else the seed is for.
  std::seed_seq words{low_half(seed), high_half(seed), low_half(iteration), high_half(iteration),
                      std::uint32_t{0xa661fa1}};
  std::mt19937_64 random(words);
  std::vector<double> us;
  us.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    us.push_back(pattern.named->us({rank, ranks, times, pattern.numbers, random}));
  }
  return us;
}

std::vector<std::string> arrival_descriptions() {
  std::vector<std::pair<std::string, std::string_view>> lines;
  for (const NamedArrival& row : named_arrivals()) lines.emplace_back(signature(row), row.summary);
  lines.emplace_back(trace_signature,
                     "line k of a file in iteration k, cycling: p values in microseconds");
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.first.size());
  std::vector<std::string> text;
  for (const auto& [left, right] : lines) {
    text.push_back(fmt::format("{:<{}}  {}", left, widest, right));
  }
  return text;
}

}  // namespace gatherbench::arrivals
