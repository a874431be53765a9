// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_rows.h"

#include <cstddef>
#include <cstdint>

namespace gatherbench::bench {
namespace {

formats::CaseKey key_of(const formats::CaseKey& of_case, const Series& series) {
  formats::CaseKey key = of_case;
  key.group = series.group;
  key.beside = series.beside;
  key.nodes = series.nodes;
  key.total_bytes = series.total_bytes;
  if (!series.ranks.empty()) key.ranks = static_cast<int>(series.ranks.size());
  return key;
}

void write_iterations(std::string& text, const formats::CaseKey& key, const CaseResult& result,
                      const AlgorithmResult& each, const Timings& timings) {
  if (each.status != formats::Status::ok) {
    write_row(
        text, formats::File::results,
        {.key = &key, .algorithm = each.algorithm, .status = each.status, .reason = each.reason});
  }
  for (std::size_t i = 0; i < timings.iterations.size(); ++i) {
    const formats::Iteration& times = timings.iterations[i];
    write_row(text, formats::File::results,
              {.key = &key,
               .algorithm = each.algorithm,
               .status = times.late ? formats::Status::late : each.status,
               .reason = times.late ? "a rank missed the agreed start" : "",
               .iteration = times.number,
               .times = &times,
               .message_us = result.message_us,
               .prepare_us = each.prepare_us,
               .chosen = timings.chosen.empty() ? "" : timings.chosen[i]});
  }
}

void write_ranks(std::string& text, const formats::CaseKey& key, const AlgorithmResult& each,
                 const Series& series) {
  const std::size_t ranks = series.ranks.size();
  for (std::size_t i = 0; i < series.timings.ranks.size(); ++i) {
    write_row(text, formats::File::ranks,
              {.key = &key,
               .algorithm = each.algorithm,
               .iteration = series.timings.iterations[i / ranks].number,
               .rank = series.ranks[i % ranks],
               .rank_times = &series.timings.ranks[i]});
  }
}

void write_steps(std::string& text, const formats::CaseKey& key, const AlgorithmResult& each,
                 const Series& series) {
  const RecordedSteps& steps = series.timings.steps;
  for (std::size_t i = 0; i < steps.calls.size(); ++i) {
    const RecordedSteps::Call& call = steps.calls[i];
    const std::size_t rank = i % steps.parts.size();
    for (std::size_t part = 0; part < steps.parts[rank].size(); ++part) {
      const formats::PartTimes times{call.arrived_us, call.marks_us[part], call.marks_us[part + 1]};
      write_row(text, formats::File::steps,
                {.key = &key,
                 .algorithm = each.algorithm,
                 .iteration = static_cast<std::int64_t>(i / steps.parts.size()),
                 .rank = static_cast<std::int64_t>(rank),
                 .part = &steps.parts[rank][part],
                 .part_times = &times});
    }
  }
}

void write_counters(std::string& text, const formats::CaseKey& key, const CaseResult& result) {
  for (const Counted& counted : result.counted) {
    for (const formats::CounterChange& change : counted.changes) {
      write_row(text, formats::File::counters,
                {.key = &key, .algorithm = counted.algorithm, .change = &change});
    }
  }
}

}  // namespace

std::string rows_of(formats::File file, const formats::CaseKey& of_case, const CaseResult& result) {
  std::string text;
  if (file == formats::File::counters) {
    write_counters(text, of_case, result);
    return text;
  }
  for (const AlgorithmResult& each : result.algorithms) {
    for (const Series& series : each.series) {
      const formats::CaseKey key = key_of(of_case, series);
      if (file == formats::File::ranks) {
        write_ranks(text, key, each, series);
      } else if (file == formats::File::steps) {
        write_steps(text, key, each, series);
      } else {
        write_iterations(text, key, result, each, series.timings);
      }
    }
  }
  return text;
}

}  // namespace gatherbench::bench
