// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/replay_options.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "bench/options/words.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

struct Contradiction {
  const char* option;
  std::string_view why;
};

/// What a trace says, or what a sequence of calls has no place for.
constexpr std::array contradictions{
    Contradiction{"--message-size", "the trace has the sizes"},
    Contradiction{"--sizes", "the trace has the sizes"},
    Contradiction{"--size-order", "the trace has the sizes"},
    Contradiction{"--distributions", "the trace has the sizes"},
    Contradiction{"--check-up-to", "all calls of the trace are checked"},
    Contradiction{"--arrival", "the trace has the arrivals"},
    Contradiction{"--compute", "the trace has what ranks do between the calls"},
    Contradiction{"--prediction", "algorithms that predict arrivals are not replayed"},
    Contradiction{"--displacements", "all calls use one buffer, whose blocks are dense"},
    Contradiction{"--datatype", "the trace has the sizes, in bytes"},
    Contradiction{"--mapping", "the ranks are those of the trace"},
    Contradiction{"--groups", "the trace has the communicators"},
    Contradiction{"--beside", "the calls of an iteration follow each other"},
    Contradiction{"--overlap", "the calls of an iteration follow each other"},
};

}  // namespace

void add_replay(text::OptionTable& table, const collectives::Collective& collective,
                ReplayChoice& choice) {
  table.add("--replay", "DIR",
            fmt::format("Instead of sizes: the MPI_{} calls of a program, with the communicators, "
                        "sizes and order that libagtrace.so recorded in DIR, as often as "
                        "--iterations says [{}, and {} for warm-up], on as many ranks",
                        collective.title, replay_iterations, replay_warmup),
            [&choice](std::string_view option, const std::string& text) {
              if (text.empty()) throw text::bad_value(option, text, "is no folder of a trace");
              choice.folder = text;
            });
  table.add_with_default(
      "--replay-gaps", alternatives(gaps_names), std::string(name_in(gaps_names, choice.gaps)),
      "What ranks do between two calls of --replay: pass the time that the program passed there, "
      "so that the times are the program's, or nothing",
      [&choice](std::string_view option, const std::string& text) {
        choice.gaps = parse_named(option, gaps_names, text);
      });
  table.add("--replay-calls", "N", "Only the first N calls of --replay [all]",
            [&choice](std::string_view option, const std::string& text) {
              choice.calls =
                  text::parse_integer(option, text, 1, std::numeric_limits<std::int64_t>::max());
            });
}

void require_replay_alone(const text::OptionTable& table, const Options& options) {
  if (!options.replay.is_asked()) {
    for (const char* const option : {"--replay-gaps", "--replay-calls"}) {
      if (table.is_given(option)) {
        throw text::InputError(fmt::format("{}: needs --replay DIR", option));
      }
    }
    return;
  }
  for (const auto& [option, why] : contradictions) {
    if (!table.is_given(option)) continue;
    throw text::InputError(
        fmt::format("{}: does not go with --replay: {}; legal: one of the two", option, why));
  }
  for (const formats::File file : {formats::File::steps, formats::File::counters}) {
    if (!options.records(file)) continue;
    throw text::bad_value("--record", formats::name_of(file),
                          "does not go with --replay: an iteration has many calls; legal: ranks");
  }
  if (options.wait == Wait::work) {
    throw text::InputError(
        "--wait: 'work' does not go with --replay, which has another time to pass between any two "
        "calls; legal: busy, sleep");
  }
  if (options.buffers && options.buffers->use != BufferUse::same &&
      options.buffers->use != BufferUse::fresh) {
    throw text::bad_value("--buffers", options.buffers->text(),
                          "does not go with --replay, whose calls all use the same buffers; legal: "
                          "fresh, same");
  }
}

}  // namespace gatherbench::bench
