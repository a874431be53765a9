// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/call_order.h"
#include "bench/options/values/words.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t max_iterations = 1'000'000'000;
constexpr std::int64_t max_seed = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view synchronised = "barrier, double-barrier, dissemination, window";
constexpr std::string_view same_rounds = "both jobs have the same number of rounds";

}  // namespace

void add_length_options(text::OptionTable& table, Options& options) {
  table.add("-i,--iterations", "N",
            "Timed iterations of each algorithm and case [1000, above 8 KiB 100]",
            into(options.iterations, integer(1, max_iterations)));
  table.add("-x,--warmup", "N", "Untimed iterations before the timed ones [100, above 8 KiB 10]",
            into(options.warmup, integer(0, max_iterations)));
  table.add("--precision", "PERCENT",
            "End a case when, in this launch, the 95 % confidence interval of every algorithm's "
            "median is within this fraction of it: 5%. Other launches may differ by more",
            into(options.precision, text::parse_fraction));
  table.add("--max-time", "TIME",
            "End a case after this time (500ms, 2s, 1m), of which a tenth may go to warm-up",
            into(options.max_time, text::parse_duration));
  const text::Option sync = table.add(
      "--sync", alternatives(sync_names),
      "How ranks synchronise before each iteration: barrier, double-barrier, dissemination, "
      "window (start at an agreed time of synchronised clocks), or none (calls back to back, "
      "each after --compute if given) [dissemination with --duet, double-barrier with --arrival, "
      "else barrier]",
      into(options.sync, word(sync_names)));
  sync.word_not_with("window", "--beside", "that begins behind the agreed start",
                     "barrier, double-barrier, dissemination, none")
      .word_not_with("none", "--congest", "that begins and ends between the calls", synchronised)
      .word_not_with("none", "--arrival", "its delays are from a common start", synchronised);
  table
      .add_with_default("--order", fmt::format("{}", fmt::join(order_forms, "|")),
                        options.order.text(),
                        "Order of the iterations: interleaved (the algorithms take turns, "
                        "shuffled in each round; a turn is so many calls behind one that is not "
                        "counted, so that each finds what a call of its own left) or sequential "
                        "(one algorithm after the other)",
                        into(options.order, parse_order))
      .word_not_with("sequential", "--duet", "a turn is one round", "interleaved");
  table.add(
      "--cycles", "N",
      "After each turn, time so many cycles of writing what is sent, the call, and reading "
      "the result, one after the other without a clock or a barrier between, as a program's "
      "loop has them (column cycle_us); 0: none [10; 0 where calls are not alone in their "
      "loop: with --sync none, --buffers other than fresh, --compute, --groups, --beside, "
      "--congest, --overlap, --replay, --record counters, with algorithms that choose by their "
      "calls or predict arrivals from a computation, and in a simulation]. Cases with an arrival "
      "pattern have none",
      into(options.cycles, integer(0, max_iterations)));
  table
      .add_with_default("--size-order", alternatives(size_order_names),
                        std::string(name_in(size_order_names, options.size_order)),
                        "Order in which sizes are measured and printed: as given, or shuffled "
                        "for each distribution and arrival pattern, so that what changes in the "
                        "course of a launch does not look like an effect of the size",
                        into(options.size_order, word(size_order_names)))
      .not_with("--replay", "the trace has the sizes");
  table.add("--seed", "N",
            "Seed of the shuffles and the random arrival patterns; launches that are to draw the "
            "same delays need the same one [another one in each launch; in a simulation 1]",
            into(options.seed, integer(0, max_seed)));
  const text::Option duet = table.add(
      "--duet", "NAME@ADDRESS",
      "Alternate, round by round, with another job that measures the same cases and names the "
      "same ADDRESS: a path (/tmp/duet, if both begin on one node) or HOST:PORT. NAME is this "
      "job's",
      into(options.duet, parse_duet));
  duet.not_with("--precision", same_rounds, "--iterations")
      .not_with("--max-time", same_rounds, "--iterations");
  if (mpi::rank_model().one_process) {
    duet.refused("", "takes turns in real time, and this is a simulation", "launches of each");
  }
  table.add_with_default("--timeout", "TIME", fmt::format("{}s", options.timeout),
                         "End the run if it makes no progress for this time",
                         into(options.timeout, text::parse_duration));
  table.add("-M,--mem-limit", "BYTES",
            "Memory that the buffers of a rank may take at most: 512M [what its node has]",
            into(options.mem_limit, text::parse_bytes));
}

void describe_length(const Options& options, Keys& keys) {
  const bool replays = options.replay.is_asked();
  const auto number = [](const std::optional<double>& value, std::string_view unit) {
    return value ? fmt::format("{}{}", *value, unit) : std::string("none");
  };
  keys.emplace_back("iterations",
                    or_else(options.iterations, replays ? fmt::to_string(replay_iterations)
                                                        : "1000, above 8192 bytes 100"));
  keys.emplace_back("warmup", or_else(options.warmup, replays ? fmt::to_string(replay_warmup)
                                                              : "100, above 8192 bytes 10"));
  keys.emplace_back("order", options.order.text());
  keys.emplace_back("size_order", name_in(size_order_names, options.size_order));
  keys.emplace_back("seed", options.seed ? fmt::to_string(*options.seed) : "to be drawn");
  keys.emplace_back("precision", number(options.precision, ""));
  keys.emplace_back("max_time", number(options.max_time, " s"));
}

}  // namespace gatherbench::bench
