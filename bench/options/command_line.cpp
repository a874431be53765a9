// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/options/option_groups.h"
#include "bench/options/values/datatype.h"
#include "bench/options/values/displacements.h"
#include "formats/text/input_error.h"
#include "formats/text/option_table.h"
#include "formats/text/words.h"
#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

/// Throws InputError where the operator, the type and the sizes of a reduction do not fit.
void require_elements(const Options& options) {
  const auto& [operation, type] = options.combined_by;
  if (operation->integers_only && !type->is_integer) {
    throw text::bad_value("--op", operation->name,
                          fmt::format("is of integers, and --type is {}; legal: --type char, int, "
                                      "long, or --op sum, prod, min, max",
                                      type->name));
  }
  for (const std::int64_t bytes : options.sizes) {
    if (bytes % type->bytes == 0) continue;
    throw text::bad_value(
        options.sizes_option, fmt::to_string(bytes),
        fmt::format("is no whole number of elements; legal: multiples of the {} bytes of {} {} "
                    "(--type)",
                    type->bytes, type->name == "int" ? "an" : "a", type->name));
  }
  if (options.places.offsets.cut(type->bytes)) {
    throw text::bad_value("--buffer-offset", options.places.offsets.text(),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of {} (--type)",
                                      type->bytes, type->name));
  }
}

/// Throws InputError where blocks of an all-gather are no whole elements.
void require_whole_elements(const Options& options) {
  const BufferType& type = *options.datatype;
  const mpi::Element& element = type.element;
  for (const std::int64_t bytes : options.sizes) {
    if (bytes % element.bytes == 0) continue;
    throw text::bad_value(
        options.sizes_option, fmt::to_string(bytes),
        fmt::format("is no whole number of elements; legal: multiples of the {} bytes of data in "
                    "--datatype {}",
                    element.bytes, type.text));
  }
  const std::int64_t gap = options.displacements.value_or(Displacements{}).gap;
  if (gap % element.extent != 0) {
    throw text::bad_value(
        "--displacements", options.displacements->text(),
        fmt::format("is no whole number of elements; legal: gaps of multiples of the {} bytes that "
                    "--datatype {} takes in memory",
                    element.extent, type.text));
  }
  if (element.of != mpi::Element::Of::bytes && options.places.offsets.cut(element.bytes)) {
    throw text::bad_value("--buffer-offset", options.places.offsets.text(),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of --datatype {}",
                                      element.bytes, type.text));
  }
}

/// Refuses two places where there is one buffer. Throws InputError.
void require_two_buffers(const Options& options) {
  const BufferOffsets& offsets = options.places.offsets;
  const bool two = offsets.random || offsets.send != offsets.receive;
  if (!two) return;
  if (options.buffers && options.buffers->use == BufferUse::rotate) {
    throw text::bad_value("--buffer-offset", offsets.text(),
                          "places two buffers, and --buffers rotate has a ring of pairs, one "
                          "behind the other; legal: BYTES, of where the ring begins");
  }
  // A rank that ends with nothing has a send buffer even in a reduction that is in place.
  const bool some_rank_sends =
      !options.in_place || (options.collective->combines && options.collective->has_root);
  if (!some_rank_sends && !offsets.random) {
    throw text::bad_value("--buffer-offset", offsets.text(),
                          "places a send buffer too, and in place there is none; legal: BYTES, of "
                          "the receive buffer");
  }
}

/// Throws InputError if values of several options do not fit each other, which the rules of single
/// options cannot tell.
void require_consistent(const text::OptionTable& table, const Options& options) {
  if (options.combines()) require_elements(options);
  if (options.datatype) require_whole_elements(options);
  require_two_buffers(options);
  if (table.is_given("--prediction") &&
      std::ranges::none_of(options.algorithms, [](const algorithms::Choice& choice) {
        return choice.algorithm->is<algorithms::ByArrivals>();
      })) {
    throw text::bad_value("--prediction", options.prediction.label,
                          "has no effect: none of the --algorithms predicts arrivals; legal: with "
                          "one of the set arrival_aware");
  }
}

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
    settle_sizes(table, options);
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
