// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/osu_table.h"

#include <fmt/format.h>

#include <iterator>

#include "bench/measure/statistics.h"
#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

// OSU 7.4: the size left in 10 columns, times right in 18 with 2 decimals, iterations right in 12.
constexpr const char* time_title = "{:>18}";
constexpr const char* time_value = "{:>18.2f}";

std::vector<double> column(std::span<const formats::Iteration> iterations,
                           double formats::Iteration::*member) {
  std::vector<double> values;
  values.reserve(iterations.size());
  for (const formats::Iteration& iteration : iterations) values.push_back(iteration.*member);
  return values;
}

}  // namespace

std::string osu_header(const collectives::Collective& collective, const Options& options,
                       const std::string& what, std::span<const std::string> notes) {
  std::string text = fmt::format("\n# OSU-style MPI {} Latency Test, gatherbench {}, {}\n",
                                 collective.title, version, what);
  text += "# Datatype: MPI_CHAR.\n";
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<10}", "# Size");
  fmt::format_to(out, time_title, "Avg Latency(us)");
  if (options.full) {
    fmt::format_to(out, time_title, "Min Latency(us)");
    fmt::format_to(out, time_title, "Max Latency(us)");
    fmt::format_to(out, "{:>12}", "Iterations");
  }
  if (options.validation) fmt::format_to(out, time_title, "Validation");
  for (const double percentile : options.percentiles) {
    fmt::format_to(out, time_title, fmt::format("P{:g} Tail Lat(us)", percentile));
  }
  return text + '\n';
}

std::string osu_row(const Options& options, std::int64_t bytes,
                    std::span<const formats::Iteration> iterations) {
  const std::vector<double> averages = column(iterations, &formats::Iteration::avg_us);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<10}", bytes);
  fmt::format_to(out, time_value, mean(averages));
  if (options.full) {
    fmt::format_to(out, time_value, mean(column(iterations, &formats::Iteration::min_us)));
    fmt::format_to(out, time_value, mean(column(iterations, &formats::Iteration::max_us)));
    fmt::format_to(out, "{:>12}", iterations.size());
  }
  // A wrong result never has a row.
  if (options.validation) fmt::format_to(out, time_title, "Pass");
  for (const double percent : options.percentiles) {
    fmt::format_to(out, time_value, percentile(averages, percent));
  }
  return text + '\n';
}

std::string absorption_line(std::int64_t bytes, const Absorption& absorption) {
  return fmt::format(
      "# {} bytes: run {:.2f} us (balanced {:.2f}), imbalance {:.2f} us = {:.3f} balanced runs, "
      "absorbed {:.2f} us = {:.3f}\n",
      bytes, absorption.run_us, absorption.balanced_run_us, absorption.imbalance_us,
      absorption.normalised_imbalance(), absorption.absorbed_us(), absorption.normalised());
}

}  // namespace gatherbench::bench
