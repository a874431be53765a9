// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/block_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::distributions {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 62;
constexpr std::string_view file_prefix = "file:";
constexpr std::int64_t most_file_bytes = std::int64_t{1} << 53;  // a double counts up to this

constexpr std::array table{
    NamedDistribution{.name = "regular",
                      .summary = "c",
                      .total = "pc",
                      .size = [](std::int64_t c, std::int64_t, std::int64_t) { return c; },
                      .equal = true},
    NamedDistribution{"broadcast", "c on rank 0, else 0", "c",
                      [](std::int64_t c, std::int64_t, std::int64_t i) { return i == 0 ? c : 0; }},
    NamedDistribution{"spike", "pc on rank 0, else pc/(p-1)", "about 2pc",
                      [](std::int64_t c, std::int64_t p, std::int64_t i) {
                        return i == 0 ? p * c : p * c / (p - 1);
                      }},
    NamedDistribution{
        "half_full", "2c on even ranks, else 0", "2 ceil(p/2) c",
        [](std::int64_t c, std::int64_t, std::int64_t i) { return i % 2 == 0 ? 2 * c : 0; },
        "Half-full"},
    NamedDistribution{"linear", "2c (p-1-i)/(p-1)", "about pc",
                      [](std::int64_t c, std::int64_t p, std::int64_t i) {
                        return 2 * c * (p - 1 - i) / (p - 1);
                      }},
    NamedDistribution{"geometric", "pc/((i+3/2) ln p)", "about pc",
                      [](std::int64_t c, std::int64_t p, std::int64_t i) {
                        const auto ranks = static_cast<double>(p);
                        return static_cast<std::int64_t>(
                            ranks * static_cast<double>(c) /
                            ((static_cast<double>(i) + 1.5) * std::log(ranks)));
                      }},
};

/// Returns whole bytes: a product that is whole but for the rounding of its decimal factor is that
/// number, and any other is rounded down.
double whole_bytes(double bytes) {
  constexpr double rounding = 2 * std::numeric_limits<double>::epsilon();
  const double nearest = std::round(bytes);
  return std::abs(bytes - nearest) <= rounding * bytes ? nearest : std::floor(bytes);
}

FileSize parse_line(const std::string& where, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) throw text::InputError(fmt::format("{}: the line is empty", where));
  if (line.ends_with('c')) {
    return {text::parse_number(where, line.substr(0, line.size() - 1)), true};
  }
  if (line == "0") return {0, false};
  const std::int64_t bytes = text::parse_bytes(where, line);
  if (bytes > most_file_bytes) throw text::bad_value(where, line, "is more than 8 PiB");
  return {static_cast<double>(bytes), false};
}

std::vector<FileSize> parse_file(const std::string& path, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<FileSize> lines;
  int number = 0;
  for (const std::string_view line : text::split(text, '\n')) {
    ++number;
    if (line.starts_with('#') || text.empty()) continue;
    lines.push_back(parse_line(fmt::format("{}:{}", path, number), line));
  }
  if (lines.empty()) throw text::InputError(fmt::format("{}: the file has no sizes", path));
  return lines;
}

text::InputError overflow(const Distribution& distribution, int ranks) {
  return text::InputError(
      fmt::format("bytes on {} ranks pass 2^62 bytes in all, as {}", ranks, distribution.label));
}

/// Throws InputError if c is so large that sizes might not be countable. The largest of any formula
/// is the spike's p*c on one rank, about 2pc in all.
void require_countable(const Distribution& distribution, int ranks, std::int64_t base) {
  if (base > max_bytes / ranks / 4) throw overflow(distribution, ranks);
}

}  // namespace

std::span<const NamedDistribution> named_distributions() { return table; }

std::vector<Distribution> parse_distributions(std::string_view option, std::string_view list,
                                              const ReadFile& read_file) {
  std::vector<Distribution> chosen;
  const auto add = [&](Distribution distribution) {
    if (std::ranges::find(chosen, distribution.label, &Distribution::label) == chosen.end()) {
      chosen.push_back(std::move(distribution));
    }
  };
  for (const std::string_view name : text::split(list, ',')) {
    const auto* const named = std::ranges::find(table, name, &NamedDistribution::name);
    if (named != table.end()) {
      add({std::string(name), named});
    } else if (name == "all") {
      for (const NamedDistribution& each : table) add({std::string(each.name), &each});
    } else if (name.starts_with(file_prefix)) {
      text::require_one_line(option, name);
      const std::string path(name.substr(file_prefix.size()));
      add({std::string(name), nullptr, parse_file(path, read_file(path))});
    } else {
      std::vector<std::string_view> legal{"all"};
      for (const NamedDistribution& each : table) legal.push_back(each.name);
      legal.emplace_back("file:PATH");
      throw text::unknown_name(option, "distribution", name, legal);
    }
  }
  return chosen;
}

void require_ranks(const Distribution& distribution, int ranks) {
  if (distribution.named != nullptr) return;
  const std::size_t lines = distribution.lines.size();
  if (lines == static_cast<std::size_t>(ranks)) return;
  throw text::InputError(fmt::format("{}: has {} lines for {} ranks; it needs one size a rank",
                                     distribution.label.substr(file_prefix.size()), lines, ranks));
}

std::optional<std::int64_t> equal_size(const Distribution& distribution, int ranks,
                                       std::int64_t base) {
  if (distribution.named == nullptr || !distribution.named->equal) return std::nullopt;
  require_countable(distribution, ranks, base);
  return base;
}

std::vector<std::int64_t> block_sizes(const Distribution& distribution, int ranks,
                                      std::int64_t base) {
  require_countable(distribution, ranks, base);
  if (ranks == 1 && distribution.named != nullptr) return {base};
  std::vector<std::int64_t> sizes;
  sizes.reserve(static_cast<std::size_t>(ranks));
  double total = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (distribution.named != nullptr) {
      sizes.push_back(distribution.named->size(base, ranks, rank));
      continue;
    }
    const FileSize& line = distribution.lines[static_cast<std::size_t>(rank)];
    const double bytes = line.factor ? line.number * static_cast<double>(base) : line.number;
    total += bytes;
    if (total > static_cast<double>(max_bytes)) throw overflow(distribution, ranks);
    sizes.push_back(static_cast<std::int64_t>(whole_bytes(bytes)));
  }
  return sizes;
}

}  // namespace gatherbench::distributions
