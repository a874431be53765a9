// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "text/csv_cell.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view key_columns =
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes";
constexpr std::string_view value_columns =
    "iteration,min_us,avg_us,max_us,run_us,imbalance_us,asked_imbalance_us,delay_error_us,"
    "message_us,clock_error_us,prediction_error_us,helper_us,prepare_us,status,reason";
constexpr std::string_view rank_columns = "iteration,rank,elapsed_us,asked_us,achieved_us";

std::string key_cells(const CaseKey& key, std::string_view algorithm) {
  return fmt::format("{},{},{},{},{},{},{},{},{}", key.collective, text::csv_cell(algorithm),
                     text::csv_cell(key.distribution), text::csv_cell(key.arrival), key.mapping,
                     key.ranks, key.nodes, key.bytes, key.total_bytes);
}

}  // namespace

std::string csv_columns() { return fmt::format("{},{}", key_columns, value_columns); }

std::string csv_rank_columns() { return fmt::format("{},{}", key_columns, rank_columns); }

std::string CaseKey::text() const {
  return fmt::format("{},{},{},{},{},{}", collective, distribution, arrival, mapping, ranks, bytes);
}

std::string csv_rows(const CaseKey& key, const CaseResult& result) {
  std::string rows;
  const auto out = std::back_inserter(rows);
  const std::string message = result.message_us ? fmt::format("{:.3f}", *result.message_us) : "";
  for (const AlgorithmResult& each : result.algorithms) {
    const std::string cells = key_cells(key, each.algorithm);
    if (each.status != "ok") {
      fmt::format_to(out, "{},,,,,,,,,,,,,,{},{}\n", cells, each.status,
                     text::csv_cell(each.reason));
    }
    for (std::size_t i = 0; i < each.timings.iterations.size(); ++i) {
      const Iteration& it = each.timings.iterations[i];
      fmt::format_to(out, "{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},", cells, i, it.min_us,
                     it.avg_us, it.max_us, it.run_us, it.imbalance_us);
      if (result.delayed) {
        fmt::format_to(out, "{:.3f},{:.3f}", it.asked_imbalance_us, it.delay_error_us);
      } else {
        rows += ',';
      }
      fmt::format_to(out, ",{},{:.3f},", message, result.clock_error_us);
      if (each.timings.predicted) {
        fmt::format_to(out, "{:.3f},{:.3f}", it.prediction_error_us, it.helper_us);
      } else {
        rows += ',';
      }
      fmt::format_to(out, ",{:.3f},{},{}\n", each.prepare_us, it.late ? "late" : each.status,
                     it.late ? "a rank missed the agreed start" : "");
    }
  }
  return rows;
}

std::string csv_rank_rows(const CaseKey& key, const CaseResult& result) {
  std::string rows;
  const auto out = std::back_inserter(rows);
  const auto ranks = static_cast<std::size_t>(key.ranks);
  for (const AlgorithmResult& each : result.algorithms) {
    const std::string cells = key_cells(key, each.algorithm);
    for (std::size_t i = 0; i < each.timings.ranks.size(); ++i) {
      const RankTimes& times = each.timings.ranks[i];
      fmt::format_to(out, "{},{},{},{:.3f},", cells, i / ranks, i % ranks, times.elapsed_us);
      if (result.delayed) {
        fmt::format_to(out, "{:.3f},{:.3f}\n", times.asked_us, times.achieved_us);
      } else {
        rows += ",\n";
      }
    }
  }
  return rows;
}

}  // namespace gatherbench::bench
