// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/options/values/words.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
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
