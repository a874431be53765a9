// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/host_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::topology {
namespace {

constexpr std::size_t longest_name = 255;
constexpr std::int64_t largest_number =
    std::numeric_limits<std::int64_t>::max() - 1;  // loops count one further

/// The numbers of a range, as they are written in a name.
struct Range {
  std::int64_t first;
  std::int64_t last;
  std::size_t width;
};

text::InputError too_many(std::string_view where, std::string_view element) {
  return text::bad_value(where, element,
                         fmt::format("is more than {} names", most_host_list_names));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void require_length(std::string_view where, std::string_view element, std::size_t length) {
  if (length <= longest_name) return;
  throw text::bad_value(where, element, fmt::format("has more than {} characters", longest_name));
}

Range parse_range(std::string_view where, std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash < text.size() ? text.substr(dash + 1) : first;
  for (const std::string_view number : {first, last}) {
    if (number.empty() || !std::ranges::all_of(number, is_digit)) {
      throw text::bad_value(where, text, "in brackets is neither a number nor a range such as 0-7");
    }
  }
  require_length(where, text, first.size());  // else a million names of a megabyte each are built
  const Range range{text::parse_integer(where, first, 0, largest_number),
                    text::parse_integer(where, last, 0, largest_number), first.size()};
  if (range.last < range.first) {
    throw text::bad_value(where, text, "is a range that runs backwards");
  }
  return range;
}

/// Returns each of `names` followed by each number of the bracket's ranges. Throws InputError if
/// these are not ranges, or more than 2^20 names.
std::vector<std::string> with_numbers(std::string_view where, std::string_view element,
                                      const std::vector<std::string>& names,
                                      std::string_view bracket) {
  std::vector<Range> ranges;
  std::size_t numbers = 0;
  for (const std::string_view text : text::split(bracket, ',')) {
    const Range range = parse_range(where, text);
    ranges.push_back(range);
    const auto most = static_cast<std::int64_t>(most_host_list_names);
    if (range.last - range.first >= most) throw too_many(where, element);
    numbers += static_cast<std::size_t>(range.last - range.first + 1);
    if (numbers * names.size() > most_host_list_names) throw too_many(where, element);
  }
  std::vector<std::string> longer;
  longer.reserve(names.size() * numbers);
  for (const std::string& name : names) {
    for (const Range& range : ranges) {
      for (std::int64_t number = range.first; number <= range.last; ++number) {
        longer.push_back(fmt::format("{}{:0{}}", name, number, range.width));
      }
    }
  }
  return longer;
}

void require_name_characters(std::string_view where, std::string_view element,
                             std::string_view text) {
  for (const char c : text) {
    const bool printable = c > ' ' && c <= '~';
    if (printable && std::string_view("[]=\"\\").find(c) == std::string_view::npos) continue;
    throw text::bad_value(where, element, fmt::format("has a '{}', which no name has", c));
  }
}

/// Returns the names that one element of the list stands for: a name, or names with brackets.
std::vector<std::string> expand(std::string_view where, std::string_view element) {
  if (element.empty()) throw text::InputError(fmt::format("{}: the list has an empty name", where));
  std::vector<std::string> names{""};
  std::string_view rest = element;
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('['), rest.size());
    const std::string_view plain = rest.substr(0, open);
    require_name_characters(where, element, plain);
    require_length(where, element, names.back().size() + plain.size());
    for (std::string& name : names) name += plain;
    if (open == rest.size()) break;
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) {
      throw text::bad_value(where, element, "has a '[' without ']'");
    }
    names = with_numbers(where, element, names, rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
  for (const std::string& name : names) require_length(where, element, name.size());
  return names;
}

/// Returns where the first element ends: at a comma outside of brackets.
std::size_t element_end(std::string_view list) {
  bool in_brackets = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',' && !in_brackets) return i;
    if (list[i] == '[') in_brackets = true;
    if (list[i] == ']') in_brackets = false;
  }
  return list.size();
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view where, std::string_view list) {
  std::vector<std::string> names;
  for (;;) {
    const std::size_t end = element_end(list);
    std::vector<std::string> more = expand(where, list.substr(0, end));
    if (names.size() + more.size() > most_host_list_names) {
      throw too_many(where, list.substr(0, end));
    }
    std::ranges::move(more, std::back_inserter(names));
    if (end == list.size()) return names;
    list.remove_prefix(end + 1);
  }
}

std::vector<std::string> parse_host_file(std::string_view file_name, std::string_view text) {
  constexpr std::string_view spaces = " \t\r";
  std::vector<std::string> names;
  int number = 0;
  for (std::string_view line : text::split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    line = line.substr(0, line.find_last_not_of(spaces) + 1);
    line.remove_prefix(std::min(line.find_first_not_of(spaces), line.size()));
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", file_name, number);
    std::vector<std::string> more = expand_host_list(where, line);
    if (names.size() + more.size() > most_host_list_names) throw too_many(where, line);
    std::ranges::move(more, std::back_inserter(names));
  }
  if (names.empty()) {
    throw text::InputError(fmt::format(
        "{}: the file names no host; legal: a line a host, or lists such as n[0-15]", file_name));
  }
  return names;
}

void HostIndex::add(const std::string& name, int id) {
  by_name_.emplace(name, id);
  const std::string lower = lower_case(name);
  const auto [found, is_new] =
      by_short_name_.emplace(lower.substr(0, lower.find('.')), Likely{id, true, lower});
  if (!is_new) found->second.is_alone = false;
}

std::optional<int> HostIndex::find(std::string_view name) const {
  for (const std::string_view each : {name, name.substr(0, name.find('.'))}) {
    const auto found = by_name_.find(each);
    if (found != by_name_.end()) return found->second;
  }
  const std::string lower = lower_case(name);
  const auto likely = by_short_name_.find(lower.substr(0, lower.find('.')));
  if (likely == by_short_name_.end() || !likely->second.is_alone) return std::nullopt;
  const std::string& other = likely->second.name;
  const bool has_domain = lower.find('.') != std::string::npos;
  const bool other_has_domain = other.find('.') != std::string::npos;
  if (has_domain && other_has_domain && lower != other) return std::nullopt;
  return likely->second.id;
}

}  // namespace gatherbench::topology
