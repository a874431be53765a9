// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/displacements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view dense = "dense";
constexpr std::string_view gaps = "gaps";
constexpr std::string_view permuted = "permuted";
constexpr std::int64_t largest_gap = std::int64_t{1} << 30;

}  // namespace

std::string Displacements::text() const {
  if (permuted) {
    return std::string(bench::permuted) + (gap == 0 ? "" : fmt::format(":{}={}", gaps, gap));
  }
  return gap == 0 ? std::string(dense) : fmt::format("{}:{}", gaps, gap);
}

Displacements parse_displacements(std::string_view option, std::string_view text) {
  const auto parse_gap = [&](std::string_view bytes) {
    const std::int64_t gap = text::parse_bytes(option, bytes);
    if (gap > largest_gap) {
      throw text::bad_value(option, text, "has gaps that are too large; legal: up to 1G");
    }
    return gap;
  };
  const std::string with_gaps = fmt::format("{}:", gaps);
  const std::string permuted_with_gaps = fmt::format("{}:{}=", permuted, gaps);
  if (text == dense) return {};
  if (text == permuted) return {.permuted = true};
  if (text.starts_with(with_gaps)) return {.gap = parse_gap(text.substr(with_gaps.size()))};
  if (text.starts_with(permuted_with_gaps)) {
    return {.permuted = true, .gap = parse_gap(text.substr(permuted_with_gaps.size()))};
  }
  throw text::bad_value(
      option, text,
      fmt::format("says of no place; legal: {}", fmt::join(displacement_forms, ", ")));
}

}  // namespace gatherbench::bench
