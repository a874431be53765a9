// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/osu_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "bench/measure/statistics.h"
#include "bench/results/column.h"
#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

// OSU 7.4: the size left in 10 columns, times right in 18 with 2 decimals, iterations right in 12.
constexpr std::size_t time_width = 18;
constexpr const char* time_title = "{:>18}";
constexpr const char* time_value = "{:>18.2f}";

/// Its column is wider where it would touch the one before.
std::string tail_title(double percentile) {
  const std::string title = fmt::format("P{} Tail Lat(us)", percentile);
  return fmt::format("{:>{}}", title, std::max(time_width, title.size() + 2));
}

}  // namespace

std::string osu_header(const Options& options, const std::string& what,
                       std::span<const std::string> notes) {
  std::string text = fmt::format("\n# OSU-style MPI {} Latency Test, gatherbench {}, {}\n",
                                 options.collective->title, version, what);
  const std::string_view type = options.combines() ? options.combined_by.type->mpi_name
                                : options.datatype ? options.datatype->mpi_name
                                                   : "MPI_CHAR";
  text += fmt::format("# Datatype: {}.\n", type);
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  text += fmt::format("{:<10}", "# Size");
  text += fmt::format(time_title, "Avg Latency(us)");
  if (options.full) {
    text += fmt::format(time_title, "Min Latency(us)");
    text += fmt::format(time_title, "Max Latency(us)");
    text += fmt::format("{:>12}", "Iterations");
  }
  if (options.validation) text += fmt::format(time_title, "Validation");
  for (const double percentile : options.percentiles) {
    text += tail_title(percentile);
  }
  if (options.std_dev) text += fmt::format(time_title, "Std Dev(us)");
  return text + '\n';
}

std::string osu_row(const Options& options, std::int64_t bytes,
                    std::span<const formats::Iteration> iterations) {
  const std::vector<double> averages = column(iterations, "avg_us");
  std::string text;
  text += fmt::format("{:<10}", bytes);
  text += fmt::format(time_value, mean(averages));
  if (options.full) {
    text += fmt::format(time_value, mean(column(iterations, "min_us")));
    text += fmt::format(time_value, mean(column(iterations, "max_us")));
    text += fmt::format("{:>12}", iterations.size());
  }
  // A wrong result never has a row.
  if (options.validation) text += fmt::format(time_title, "Pass");
  for (const double percent : options.percentiles) {
    text += fmt::format("{:>{}.2f}", percentile(averages, percent), tail_title(percent).size());
  }
  if (options.std_dev && averages.size() > 1) {
    text += fmt::format(time_value, standard_deviation(averages));
  } else if (options.std_dev) {
    text += fmt::format(time_title, "-");  // of one iteration there is none
  }
  return text + '\n';
}

}  // namespace gatherbench::bench
