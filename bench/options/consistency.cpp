// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bench/options/datatype.h"
#include "bench/options/displacements.h"
#include "bench/options/replay_options.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

/// What files beside the results do not go with: other things that take turns with the calls.
void require_nothing_in_turns(const text::OptionTable& table, const Options& options) {
  const auto refuse = [](formats::File file, std::string_view option, std::string_view why) {
    throw text::InputError(
        fmt::format("--record: '{}' does not go with {}: {}; legal: one of the two",
                    formats::name_of(file), option, why));
  };
  using formats::File;
  for (const char* const option : {"--groups", "--beside", "--congest", "--overlap", "--duet"}) {
    if (!table.is_given(option)) continue;
    if (options.records(File::counters)) {
      refuse(File::counters, option,
             "they count what all ranks do from the first call of a case to the last, whatever "
             "takes turns in between");
    }
    if (options.records(File::steps) && !options.duet) {
      refuse(File::steps, option, "steps are of all ranks, with nothing beside them");
    }
  }
}

/// Of a reduction.
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
  if (options.place.offset % type->bytes != 0) {
    throw text::bad_value("--buffer-offset", fmt::to_string(options.place.offset),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of {} (--type)",
                                      type->bytes, type->name));
  }
  if (options.prediction.from == arrivals::Predictor::edge && options.charge_schedule) {
    throw text::bad_value("--prediction", options.prediction.label,
                          "does not go with --charge-schedule: its schedule is made as soon as "
                          "all ranks have told; legal: sma, perfect, wrong:shuffled, "
                          "wrong:reversed, noise:SIGMA");
  }
}

/// Of an all-gather.
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
  if (element.of != mpi::Element::Of::bytes && options.place.offset % element.bytes != 0) {
    throw text::bad_value("--buffer-offset", fmt::to_string(options.place.offset),
                          fmt::format("would cut elements in two; legal: multiples of the {} bytes "
                                      "of --datatype {}",
                                      element.bytes, type.text));
  }
}

}  // namespace

void require_consistent(const text::OptionTable& table, const Options& options) {
  require_replay_alone(table, options);
  if (options.combines()) require_elements(options);
  if (options.datatype) require_whole_elements(options);
  if (table.is_given("--mapping") && table.is_given("--launched-mapping")) {
    throw text::InputError(
        "--launched-mapping: tells of ranks that stay as they are, and --mapping renumbers them; "
        "legal: one of the two");
  }
  if (options.measure_model && table.is_given("--mapping")) {
    throw text::InputError(
        "--measure-model: is of neighbours as they were launched, and --mapping renumbers ranks; "
        "legal: a launch whose launcher maps them");
  }
  if (options.table == TableForm::side_by_side && options.has_osu_columns()) {
    throw text::InputError(
        "--table: 'side-by-side' has no room for the columns of -f, -c, -z and --std-dev; legal: "
        "osu, or without them");
  }
  require_nothing_in_turns(table, options);
  if (options.sync == Sync::window && table.is_given("--beside")) {
    throw text::InputError(
        "--sync: 'window' does not go with --beside, which begins behind the agreed start; legal: "
        "barrier, double-barrier, dissemination, none");
  }
  if (options.sync == Sync::none && table.is_given("--congest")) {
    throw text::InputError(
        "--sync: 'none' does not go with --congest, which begins and ends between the calls; "
        "legal: barrier, double-barrier, dissemination, window");
  }
  if (options.progress && options.no_progress) {
    throw text::InputError("--no-progress: contradicts --progress; legal: one of the two");
  }
  if (options.sync == Sync::none && table.is_given("--arrival")) {
    throw text::InputError(
        "--sync: 'none' does not go with --arrival, whose delays are from a common start; legal: "
        "barrier, double-barrier, dissemination, window");
  }
  if (table.is_given("--prediction") &&
      std::ranges::none_of(options.algorithms, [](const algorithms::Choice& choice) {
        return choice.algorithm->uses_arrivals;
      })) {
    throw text::bad_value("--prediction", options.prediction.label,
                          "has no effect: none of the --algorithms predicts arrivals; legal: with "
                          "one of the set arrival_aware");
  }
  if (options.duet && options.measure_model) {
    throw text::InputError(
        "--measure-model: does not go with --duet: both jobs would measure at the same time; "
        "legal: a launch without --duet");
  }
  if (options.duet) {
    for (const char* const option : {"--precision", "--max-time"}) {
      if (!table.is_given(option)) continue;
      throw text::InputError(
          fmt::format("--duet: does not go with {}: both jobs have the same number of "
                      "rounds; legal: --iterations",
                      option));
    }
    if (options.order.kind != Order::interleaved) {
      throw text::InputError("--duet: needs --order interleaved: a turn is one round");
    }
  }
  if (!options.output.empty()) return;
  for (const char* const option : {"--resume", "--record", "--note"}) {
    if (table.is_given(option)) {
      throw text::InputError(fmt::format("{}: needs --output FILE", option));
    }
  }
}

}  // namespace gatherbench::bench
