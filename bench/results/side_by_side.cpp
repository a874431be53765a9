// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

/// Returns the width of numbers and titles, which are aligned to the right; the star is behind.
std::size_t width_of(const std::string& algorithm) {
  constexpr std::size_t least = 10;
  return std::max(algorithm.size(), least);
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string side_by_side_header(const std::string& what, std::span<const std::string> notes,
                                std::span<const std::string> algorithms, bool has_cycles,
                                double told_apart) {
  std::string text = fmt::format("\n# {}, gatherbench {}\n", what, version);
  text +=
      has_cycles
          ? "# Medians in us, mean over the ranks. call: the call alone, as OSU's; cycle: write, "
            "call and read, back to back\n"
          : "# Median over the iterations, of the ranks' average time in the call, in us\n";
  text += "# * the lowest";
  if (std::isinf(told_apart)) {
    text += "; ~ ranks share processors, and another launch may turn it round";
  } else if (told_apart > 1) {
    text += fmt::format("; ~ within {:.0f} % of it, which another launch may turn round",
                        100 * (told_apart - 1));
  }
  text += '\n';
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  std::string titles = fmt::format("{:<10}{}", "# Size", has_cycles ? " of   " : "");
  for (const std::string& algorithm : algorithms) {
    titles += fmt::format(" {:>{}} ", algorithm, width_of(algorithm));
  }
  return text + without_blanks_at_end(std::move(titles));
}

std::string side_by_side_row(std::int64_t bytes, std::string_view of,
                             std::span<const std::string> algorithms,
                             std::span<const SideBySideCell> cells, const Marks& marks) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const SideBySideCell& cell : cells) lowest = std::min(lowest, cell.us.value_or(lowest));
  const auto mark_of = [&](const std::optional<double>& us) {
    if (marks.none || !us) return ' ';
    if (*us == lowest) return '*';
    return *us < lowest * marks.told_apart ? '~' : ' ';
  };
  std::string row = fmt::format("{:<10}", bytes);
  if (!of.empty()) row += fmt::format(" {:<5}", of);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SideBySideCell& cell = cells[i];
    row += fmt::format(" {:>{}}{}", cell.us ? fmt::format("{:.2f}", *cell.us) : cell.otherwise,
                       width_of(algorithms[i]), mark_of(cell.us));
  }
  return without_blanks_at_end(std::move(row));
}

}  // namespace gatherbench::bench
