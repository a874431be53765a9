// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/option_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/options/words.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::size_t most_percentiles = 5;

}  // namespace

std::vector<Mapping> parse_mappings(std::string_view text) {
  std::vector<Mapping> chosen;
  for (const std::string_view name : text::split(text, ',')) {
    const Mapping mapping = parse_named("--mapping", mapping_names, name);
    if (std::ranges::find(chosen, mapping) == chosen.end()) chosen.push_back(mapping);
  }
  return chosen;
}

std::vector<double> parse_percentiles(const std::string& text) {
  std::vector<double> percentiles;
  for (const std::string_view part : text::split(text, ',')) {
    const double percentile = text::parse_number("--tail-lat", part);
    if (percentile < 1 || percentile > 99) {
      throw text::bad_value("--tail-lat", part, "is not between 1 and 99");
    }
    percentiles.push_back(percentile);
  }
  if (percentiles.size() > most_percentiles) {
    throw text::bad_value("--tail-lat", text,
                          fmt::format("has more than {} parts", most_percentiles));
  }
  return percentiles;
}

}  // namespace gatherbench::bench
