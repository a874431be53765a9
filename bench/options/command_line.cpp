// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/options/consistency.h"
#include "bench/options/option_groups.h"
#include "formats/text/input_error.h"
#include "formats/text/option_table.h"
#include "formats/text/words.h"
#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

void add_model_option(text::OptionTable& table, Options& options) {
  table
      .add_flag("--measure-model", options.measure_model,
                "Measure alpha, beta (Hockney's) and tau (Loch's) on these ranks first, and print "
                "and write them as --model of allgather_schedule cost takes them")
      .not_with("--mapping",
                "it is of neighbours as they were launched, and --mapping renumbers ranks",
                "a launch whose launcher maps them")
      .not_with("--duet", "both jobs would measure at the same time", "a launch without --duet");
}

void add_instead_of_measuring(text::OptionTable& table, Options& options) {
  table.add_flag("--list", options.list, "List the algorithms, distributions and arrival patterns");
  table.add_flag("--dry-run", options.dry_run,
                 "Show the cases and the memory that this command would take");
}

text::OptionTable table_of(const collectives::Collective& collective) {
  return {fmt::format("Times MPI_{} by every published algorithm, checked byte by byte, "
                      "and prints the times side by side, or one algorithm's as OSU "
                      "does.\nSizes take K, M, G (powers of 1024). Example: "
                      "mpirun -n 16 {} --sizes 1K,64K --output run.csv",
                      collective.title, collective.executable),
          std::string(collective.executable), fmt::format("{} {}", collective.executable, version)};
}

/// Fills the table and the options with the collective's defaults; what is read is put into
/// `options`.
void fill(text::OptionTable& table, Options& options, const collectives::Collective& collective) {
  options.collective = &collective;
  options.in_place = collective.one_buffer;
  if (collective.has_root) options.root = 0;
  if (collective.combines) {
    options.prediction = {.from = arrivals::Predictor::perfect, .sigma = {}, .label = "perfect"};
  }
  if (collective.packs) options.noncontiguous = algorithms::Noncontiguous::packed;
  table.begin_group("What to measure");
  add_case_options(table, options);
  add_arrival_options(table, options);
  if (collective.combines) add_reduction_options(table, options);
  add_placement_options(table, options);
  if (can_be_replayed(collective)) add_replay_options(table, options);
  add_load_options(table, options);
  add_buffer_options(table, options);
  add_model_option(table, options);
  table.begin_group("How long");
  add_length_options(table, options);
  table.begin_group("What is printed");
  add_print_options(table, options);
  table.begin_group("Where results go");
  add_file_options(table, options);
  table.begin_group("Instead of measuring");
  add_instead_of_measuring(table, options);
  table.add_config("What to measure", "Instead of measuring");
  add_osu_options(table, collective);
}

/// Returns the options of the other benchmarks.
std::vector<text::Elsewhere> elsewhere(const collectives::Collective& here) {
  std::vector<text::Elsewhere> found;
  for (const collectives::Collective& other : collectives::all_collectives()) {
    if (&other == &here) continue;
    Options options;
    text::OptionTable table = table_of(other);
    fill(table, options, other);
    for (std::string& name : table.long_names()) {
      found.push_back({std::move(name), std::string(other.executable)});
    }
  }
  return found;
}

}  // namespace

std::variant<Options, Ending> parse_options(const collectives::Collective& collective, int argc,
                                            char** argv) {
  Options options;
  text::OptionTable table = table_of(collective);
  fill(table, options, collective);
  table.add_elsewhere([&collective] { return elsewhere(collective); });
  try {
    if (auto printed = table.parse({argv + 1, argv + argc})) return Ending{std::move(*printed), 0};
    require_consistent(table, options);
    options.config = table.config();
    options.given = table.given();
    return options;
  } catch (const text::InputError& error) {
    return Ending{fmt::format("{}: {}\n", collective.executable, text::in_one_line(error.what())),
                  2, table.config()};
  }
}

}  // namespace gatherbench::bench
