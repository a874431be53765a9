// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/lists.h"
#include "bench/options/values/words.h"

namespace gatherbench::bench {

void add_print_options(text::OptionTable& table, Options& options) {
  const text::Option form = table.add(
      "--table", alternatives(table_names),
      "osu: OSU's table of each algorithm, of several when all sizes are measured; side-by-side: "
      "one table, sizes down and algorithms across, a row as soon as a size is measured [osu for "
      "one algorithm or with -f, -c, -z or --std-dev, else side-by-side]",
      into(options.table, word(table_names)));
  for (const std::string_view column : {"--full", "--validation", "--tail-lat", "--std-dev"}) {
    form.word_not_with("side-by-side", column, "it has no room for that column",
                       "osu, or without it");
  }
  table.add_flag("-f,--full", options.full, "Print the Min, Max and Iterations columns too");
  table.add_flag("-c,--validation", options.validation,
                 "Validate the results of the timed iterations too, and print a Validation "
                 "column (each case is validated before it is timed anyway)");
  table
      .add("--check-up-to", "BYTES",
           "Validate only cases up to this block size; in a simulation the bytes of larger "
           "blocks then take no memory [all cases]",
           into(options.check_up_to, text::parse_bytes))
      .not_with("--validation", "that checks every iteration", "one of them")
      .not_with("--replay", "all calls of the trace are checked");
  table
      .add("-z,--tail-lat", "LIST", "Print columns of these percentiles, such as 99.9",
           into(options.percentiles, parse_percentiles))
      .may_be_bare("50,90,99");
  table.add_flag("--std-dev", options.std_dev,
                 "Print the standard deviation of the average latency over the iterations, too");
  table.add_flag("--progress", options.progress,
                 "Show progress on standard error before each case even if that is no terminal "
                 "[there a line a minute]");
  table.add_flag("--no-progress", options.no_progress, "Show no progress, on no terminal either")
      .not_with("--progress", "each says the opposite");
}

void describe_checks(const Options& options, Keys& keys) {
  keys.emplace_back("check_up_to", or_else(options.check_up_to, "all sizes"));
  keys.emplace_back("validation", yes_or_no(options.validation));
}

}  // namespace gatherbench::bench
