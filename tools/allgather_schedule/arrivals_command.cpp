// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "distributions/arrivals/arrival_pattern.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"
#include "tools/allgather_schedule/commands.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr std::string_view option = "--arrival";
constexpr std::int64_t max_rows = 10'000'000;

struct Options {
  std::string arrivals;
  std::string ranks;
  std::string iterations = "1";
  std::string seed = "1";
  std::string message_time;
};

/// Throws InputError for far more lines than anybody reads, which would take hours.
void require_rows(const Options& options, std::int64_t iterations, std::int64_t in_iteration) {
  const std::int64_t most = std::max(std::int64_t{1}, max_rows / in_iteration);
  if (iterations <= most) return;
  throw text::bad_value("--iterations", options.iterations,
                        fmt::format("of {} lines each are more than {} lines; legal: 1 to {}",
                                    in_iteration, max_rows, most));
}

int run(const Options& options) {
  const std::vector<int> ranks = text::parse_ranks("--ranks", options.ranks, 1 << 20);
  if (ranks.size() != 1) throw text::bad_value("--ranks", options.ranks, "is more than one number");
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t iterations = text::parse_integer("--iterations", options.iterations, 1, max);
  const auto seed = static_cast<std::uint64_t>(text::parse_integer("--seed", options.seed, 0, max));
  const double message_us =
      options.message_time.empty()
          ? 0
          : 1e6 * text::parse_duration("--message-time", options.message_time);
  const auto patterns = arrivals::parse_arrivals(
      option, options.arrivals,
      [](const std::string& path) { return text::read_file(option, path); });
  for (const arrivals::ArrivalPattern& pattern : patterns) {
    arrivals::require_ranks(option, pattern, ranks[0]);
    if (pattern.needs_message_time() && options.message_time.empty()) {
      throw text::bad_value(option, pattern.label,
                            "has a time in t, which needs --message-time (such as 50us)");
    }
  }
  require_rows(options, iterations, std::ssize(patterns) * ranks[0]);
  fmt::print("arrival,iteration,rank,arrival_us\n");
  for (const arrivals::ArrivalPattern& pattern : patterns) {
    const std::string label = text::csv_cell(pattern.label);
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      int rank = 0;
      for (const double us : arrivals::arrivals_us(
               pattern, ranks[0], seed, static_cast<std::uint64_t>(iteration), message_us)) {
        fmt::print("{},{},{},{:.3f}\n", label, iteration, rank++, us);
      }
    }
  }
  return 0;
}

}  // namespace

Command add_arrivals_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "arrivals", "Print when every rank arrives under arrival patterns, as CSV");
  const auto options = std::make_shared<Options>();
  command
      .add("--arrival", options->arrivals, "Patterns: none, uniform:max=1ms, ... (all are below)")
      .required();
  command.add("--ranks", options->ranks, "A number of ranks").required();
  command.add("--iterations", options->iterations, "How many iterations");
  command.add("--seed", options->seed, "For the random ones");
  command.add("--message-time", options->message_time, "What t stands for, such as 50us");
  command.set_footer(fmt::format(
      "Arrival of rank i; TIME is 5us, 5ms, 0.5s or 2t (times of one block's message):\n  {}",
      fmt::join(arrivals::arrival_descriptions(), "\n  ")));
  command.set_example("allgather_schedule arrivals --arrival uniform:max=1ms --ranks 8");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
