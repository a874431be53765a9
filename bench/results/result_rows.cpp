// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_rows.h"

#include <cstddef>
#include <cstdint>

namespace gatherbench::bench {
namespace {

void write_iterations(std::string& text, const formats::CaseKey& key, const CaseResult& result,
                      const AlgorithmResult& each) {
  if (each.status != formats::Status::ok) {
    write_row(
        text, formats::File::results,
        {.key = &key, .algorithm = each.algorithm, .status = each.status, .reason = each.reason});
  }
  for (std::size_t i = 0; i < each.timings.iterations.size(); ++i) {
    const formats::Iteration& times = each.timings.iterations[i];
    write_row(text, formats::File::results,
              {.key = &key,
               .algorithm = each.algorithm,
               .status = times.late ? formats::Status::late : each.status,
               .reason = times.late ? "a rank missed the agreed start" : "",
               .iteration = static_cast<std::int64_t>(i),
               .times = &times,
               .message_us = result.message_us,
               .prepare_us = each.prepare_us});
  }
}

void write_ranks(std::string& text, const formats::CaseKey& key, const AlgorithmResult& each) {
  for (std::size_t i = 0; i < each.timings.ranks.size(); ++i) {
    write_row(text, formats::File::ranks,
              {.key = &key,
               .algorithm = each.algorithm,
               .iteration = static_cast<std::int64_t>(i) / key.ranks,
               .rank = static_cast<std::int64_t>(i) % key.ranks,
               .rank_times = &each.timings.ranks[i]});
  }
}

void write_steps(std::string& text, const formats::CaseKey& key, const AlgorithmResult& each) {
  const RecordedSteps& steps = each.timings.steps;
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

}  // namespace

std::string rows_of(formats::File file, const formats::CaseKey& key, const CaseResult& result) {
  std::string text;
  for (const AlgorithmResult& each : result.algorithms) {
    if (file == formats::File::ranks) {
      write_ranks(text, key, each);
    } else if (file == formats::File::steps) {
      write_steps(text, key, each);
    } else {
      write_iterations(text, key, result, each);
    }
  }
  return text;
}

}  // namespace gatherbench::bench
