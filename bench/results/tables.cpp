// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/tables.h"

#include <fmt/format.h>

#include <cstdio>

#include "bench/results/osu_table.h"

namespace gatherbench::bench {

Tables::Tables(const Setup& setup, const Case& first_case) : setup_(&setup) {
  for (const Contender& contender : setup.contenders) {
    std::string what =
        fmt::format("algorithm: {}, ranks: {}", contender.label, first_case.key.ranks);
    if (setup.collective.unequal_blocks) {
      what += fmt::format(", distribution: {}", first_case.key.distribution);
    }
    std::vector<std::string> notes = setup.notes;
    if (!contender.reason_unusable.empty()) {
      notes.push_back("skipped: " + contender.reason_unusable);
    }
    if (setup.arrivals.size() > 1) {
      what += fmt::format(", arrival: {}", first_case.key.arrival);
    }
    what += fmt::format(", mapping: {}", first_case.key.mapping);
    texts_.push_back(osu_header(setup.collective, setup.options, what, notes));
  }
  print_if(texts_.size() == 1);
}

void Tables::add(const Case& the_case, std::span<const AlgorithmResult> results,
                 BalancedRuns& balanced) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status == formats::Status::ok) {
      const std::vector<formats::Iteration> iterations = results[i].timings.counted();
      const std::int64_t bytes = the_case.key.bytes;
      if (iterations.empty()) {
        texts_[i] += fmt::format("# {} bytes: all {} iterations began late\n", bytes,
                                 results[i].timings.iterations.size());
        continue;
      }
      std::optional<Absorption> absorption;
      if (the_case.arrival->is_none()) {
        balanced.add(the_case.key, results[i].algorithm, iterations);
      } else {
        absorption = balanced.absorption(the_case.key, results[i].algorithm, iterations);
      }
      texts_[i] += osu_row(setup_->options, bytes, iterations);
      if (absorption) texts_[i] += absorption_line(bytes, *absorption);
    } else if (setup_->contenders[i].reason_unusable.empty()) {  // else the header says it
      texts_[i] += fmt::format("# {} bytes: {}: {}\n", the_case.key.bytes,
                               name_of(results[i].status), results[i].reason);
    }
  }
  print_if(texts_.size() == 1);
}

void Tables::print_if(bool now) {
  if (!now) return;
  for (std::string& text : texts_) {
    fmt::print("{}", text);
    text.clear();
  }
  std::fflush(stdout);
}

}  // namespace gatherbench::bench
