// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/lists.h"
#include "bench/options/values/words.h"
#include "formats/result_names.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view counts_all =
    "they count what all ranks do from the first call of a case to the last, whatever takes "
    "turns in between";

std::string parse_result_name(std::string_view option, const std::string& text) {
  const auto ends_in = [&](const auto& some) {
    return std::ranges::any_of(some, [&](std::string_view one) { return text.ends_with(one); });
  };
  constexpr std::array compressed{".gz", ".zst", ".xz", ".bz2", ".zip"};
  if (!ends_in(formats::result_endings) &&
      (ends_in(compressed) || text.find(".csv.") != std::string::npos)) {
    throw text::bad_value(option, text,
                          fmt::format("is no file that this program writes; legal: {}",
                                      fmt::join(formats::result_endings, ", ")));
  }
  formats::require_results_name(option, text);
  return parse_file_name(option, text);
}

}  // namespace

void add_file_options(text::OptionTable& table, Options& options) {
  table.add(
      "-o,--output", "FILE",
      "Write every iteration to this new file, as CSV, case by case; compressed if it ends in .gz",
      into(options.output, parse_result_name));
  table
      .add_flag("--resume", options.resume,
                "Continue the run in --output FILE (begin it if there is no such file)")
      .needs("--output");
  const text::Option record =
      table
          .add("--record", alternatives(record_names),
               fmt::format(
                   "Also write each rank's times, to FILE.ranks.csv; those of each step of our "
                   "own schedules, to FILE.steps.csv; what network, energy and throttling "
                   "counters of the hosts did in a case, to FILE.counters.csv; several: "
                   "ranks,counters. Steps are of further calls after the timed ones, as many, "
                   "but at most {}",
                   most_recorded_calls),
               into(options.recorded, parse_recorded))
          .needs("--output");
  for (const std::string_view other : {"--groups", "--beside", "--congest", "--overlap"}) {
    record.word_not_with("counters", other, counts_all)
        .word_not_with("steps", other, "steps are of all ranks, with nothing beside them");
  }
  record.word_not_with("counters", "--duet", counts_all);
  for (const std::string_view word : {"steps", "counters"}) {
    record.word_not_with(word, "--replay", "an iteration has many calls", "ranks");
  }
  if (mpi::rank_model().one_process) {
    record.refused("counters", "has nothing to record: a simulation has no hosts with counters",
                   "ranks, steps");
  }
  table
      .add("--note", "KEY=VALUE",
           "A note on this launch, written to FILE as #@note.KEY=VALUE; may be given several times",
           [&](std::string_view option, const std::string& text) {
             add_note(options.notes, option, text);
           })
      .repeatable()
      .needs("--output");
}

void describe_files(const Options& options, Keys& keys) {
  for (const auto& [name, file] : record_names) {
    keys.emplace_back(fmt::format("record_{}", name), yes_or_no(options.records(file)));
  }
}

}  // namespace gatherbench::bench
