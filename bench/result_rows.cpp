// SPDX-License-Identifier: BSD-3-Clause
#include "bench/result_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "text/csv_cell.h"

namespace gatherbench {
namespace {

constexpr std::string_view key_columns =
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes";
constexpr std::string_view value_columns =
    "iteration,min_us,avg_us,max_us,run_us,imbalance_us,prepare_us,status,reason";
constexpr std::string_view rank_columns = "iteration,rank,elapsed_us";

std::string key_cells(const CaseKey& key, std::string_view algorithm) {
  return fmt::format("{},{},{},{},{},{},{},{},{}", key.collective, csv_cell(algorithm),
                     csv_cell(key.distribution), csv_cell(key.arrival), key.mapping, key.ranks,
                     key.nodes, key.bytes, key.total_bytes);
}

}  // namespace

std::string csv_columns() { return fmt::format("{},{}", key_columns, value_columns); }

std::string csv_rank_columns() { return fmt::format("{},{}", key_columns, rank_columns); }

std::string CaseKey::text() const {
  return fmt::format("{},{},{},{},{},{}", collective, distribution, arrival, mapping, ranks, bytes);
}

std::string csv_rows(const CaseKey& key, std::span<const AlgorithmResult> results,
                     bool shared_clock) {
  std::string rows;
  const auto out = std::back_inserter(rows);
  for (const AlgorithmResult& result : results) {
    const std::string cells = key_cells(key, result.algorithm);
    if (result.status != "ok") {
      fmt::format_to(out, "{},,,,,,,,{},{}\n", cells, result.status, csv_cell(result.reason));
    }
    for (std::size_t i = 0; i < result.timings.iterations.size(); ++i) {
      const Iteration& it = result.timings.iterations[i];
      fmt::format_to(out, "{},{},{:.3f},{:.3f},{:.3f},", cells, i, it.min_us, it.avg_us, it.max_us);
      if (shared_clock) {
        fmt::format_to(out, "{:.3f},{:.3f}", it.run_us, it.imbalance_us);
      } else {
        rows += ',';
      }
      fmt::format_to(out, ",{:.3f},{},\n", result.prepare_us, result.status);
    }
  }
  return rows;
}

std::string csv_rank_rows(const CaseKey& key, std::span<const AlgorithmResult> results) {
  std::string rows;
  for (const AlgorithmResult& result : results) {
    const std::string cells = key_cells(key, result.algorithm);
    const std::vector<double>& times = result.timings.rank_us;
    const auto ranks = static_cast<std::size_t>(key.ranks);
    for (std::size_t i = 0; i < times.size(); ++i) {
      fmt::format_to(std::back_inserter(rows), "{},{},{},{:.3f}\n", cells, i / ranks, i % ranks,
                     times[i]);
    }
  }
  return rows;
}

}  // namespace gatherbench
