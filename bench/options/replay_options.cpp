// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <limits>

#include "bench/options/option_groups.h"
#include "bench/options/values/words.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {

void add_replay_options(text::OptionTable& table, Options& options) {
  ReplayChoice& choice = options.replay;
  table.add("--replay", "DIR",
            fmt::format("Instead of sizes: the MPI_{} calls of a program, with the communicators, "
                        "sizes and order that libagtrace.so recorded in DIR, as often as "
                        "--iterations says [{}, and {} for warm-up], on as many ranks",
                        options.collective->title, replay_iterations, replay_warmup),
            [&choice](std::string_view option, const std::string& text) {
              if (text.empty()) throw text::bad_value(option, text, "is no folder of a trace");
              choice.folder = text;
            });
  table
      .add_with_default("--replay-gaps", alternatives(gaps_names),
                        std::string(name_in(gaps_names, choice.gaps)),
                        "What ranks do between two calls of --replay: pass the time that the "
                        "program passed there, so that the times are the program's, or nothing",
                        [&choice](std::string_view option, const std::string& text) {
                          choice.gaps = parse_named(option, gaps_names, text);
                        })
      .needs("--replay");
  table
      .add("--replay-calls", "N", "Only the first N calls of --replay [all]",
           [&choice](std::string_view option, const std::string& text) {
             choice.calls =
                 text::parse_integer(option, text, 1, std::numeric_limits<std::int64_t>::max());
           })
      .needs("--replay");
}

}  // namespace gatherbench::bench
