// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/options/values/words.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {

void add_note(std::vector<Note>& notes, std::string_view option, const std::string& text) {
  constexpr std::string_view legal = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw text::bad_value(option, text, "has no '='; legal: KEY=VALUE");
  }
  Note note{text.substr(0, equals), text.substr(equals + 1)};
  if (note.key.empty()) throw text::bad_value(option, text, "has no key; legal: KEY=VALUE");
  if (note.key.find_first_not_of(legal) != std::string::npos) {
    throw text::bad_value(option, note.key, "is no key; legal: a-z, 0-9, '_', '.' and '-'");
  }
  if (note.value.find_first_of("\n\r") != std::string::npos) {
    throw text::bad_value(option, note.key, "has a line break in its value; legal: one line");
  }
  if (std::ranges::find(notes, note.key, &Note::key) != notes.end()) {
    throw text::bad_value(option, note.key, "is given twice; legal: each key once");
  }
  notes.push_back(std::move(note));
}

namespace {

constexpr std::size_t max_percentiles = 5;

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view option, std::string_view text) {
  std::vector<Mapping> chosen;
  for (const std::string_view name : text::split(text, ',')) {
    const Mapping mapping = parse_named(option, mapping_names, name);
    if (std::ranges::find(chosen, mapping) == chosen.end()) chosen.push_back(mapping);
  }
  return chosen;
}

std::vector<formats::File> parse_recorded(std::string_view option, std::string_view text) {
  std::vector<formats::File> asked;
  for (const std::string_view name : text::split(text, ',')) {
    asked.push_back(parse_named(option, record_names, name));
  }
  std::vector<formats::File> chosen;
  for (const auto& [name, file] : record_names) {
    if (std::ranges::find(asked, file) != asked.end()) chosen.push_back(file);
  }
  return chosen;
}

std::vector<double> parse_percentiles(std::string_view option, std::string_view text) {
  std::vector<double> percentiles;
  for (const std::string_view part : text::split(text, ',')) {
    const double percentile = text::parse_number(option, part);
    if (percentile <= 0 || percentile >= 100) {
      throw text::bad_value(option, part, "is not between 0 and 100; legal: 50, 99.9");
    }
    percentiles.push_back(percentile);
  }
  if (percentiles.size() > max_percentiles) {
    throw text::bad_value(option, text, fmt::format("has more than {} parts", max_percentiles));
  }
  return percentiles;
}

}  // namespace gatherbench::bench
