// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "algorithms/choice/algorithm_sets.h"
#include "bench/options/consistency.h"
#include "bench/options/datatype.h"
#include "bench/options/displacements.h"
#include "bench/options/option_lists.h"
#include "bench/options/replay_options.h"
#include "bench/options/words.h"
#include "formats/gzip.h"
#include "formats/text/former_names.h"
#include "formats/text/input_error.h"
#include "formats/text/one_line.h"
#include "formats/text/option_table.h"
#include "formats/text/parse.h"
#include "gatherbench_version.h"

namespace gatherbench::bench {
namespace {

using text::OptionTable;

constexpr std::int64_t osu_max_bytes = std::int64_t{1} << 20;
constexpr std::int64_t max_iterations = 1'000'000'000;
constexpr std::int64_t max_ranks = 1 << 24;
constexpr std::int64_t max_tests = 1'000'000;
constexpr std::int64_t max_seed = std::numeric_limits<std::int64_t>::max();

constexpr std::array former_options{text::FormerName{"--delay", "--wait"}};

// Parsers: from an option's name and text to a value.

auto integer(std::int64_t smallest, std::int64_t largest) {
  return [=](std::string_view option, const std::string& text) {
    return text::parse_integer(option, text, smallest, largest);
  };
}

template <typename Value, std::size_t size>
auto word(const std::array<Named<Value>, size>& table) {
  return [&table](std::string_view option, const std::string& text) {
    return parse_named(option, table, text);
  };
}

std::vector<std::int64_t> parse_osu_range(std::string_view option, const std::string& text) {
  return text::parse_bytes_range(option, text, osu_max_bytes);
}

std::string parse_file_name(std::string_view option, const std::string& text) {
  if (text.empty()) throw text::bad_value(option, text, "is no file name");
  return text;
}

std::string parse_result_name(std::string_view option, const std::string& text) {
  const auto endings = formats::result_endings();
  const auto ends_in = [&](const auto& some) {
    return std::ranges::any_of(some, [&](std::string_view one) { return text.ends_with(one); });
  };
  constexpr std::array compressed{".gz", ".zst", ".xz", ".bz2", ".zip"};
  if (!ends_in(endings) && (ends_in(compressed) || text.find(".csv.") != std::string::npos)) {
    std::string why = "is no file that this program writes";
    if (formats::is_gzip(text) && !formats::why_no_gzip().empty()) why = formats::why_no_gzip();
    throw text::bad_value(option, text,
                          fmt::format("{}; legal: {}", why, fmt::join(endings, ", ")));
  }
  return parse_file_name(option, text);
}

double parse_duration_or_0(std::string_view option, const std::string& text) {
  return text == "0" ? 0 : text::parse_duration(option, text);
}

std::string parse_later(std::string_view /*option*/, const std::string& text) { return text; }

/// Puts what the parser makes of the text into `value`, which must outlive the result.
template <typename Value, typename Parser>
OptionTable::Take into(Value& value, Parser parse) {
  return [&value, parse](std::string_view option, const std::string& text) {
    value = parse(option, text);
  };
}

std::string names_in(const auto& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

double parse_gamma(std::string_view option, const std::string& text) {
  constexpr double largest = 1e-3;  // times the bytes of any vector it is a clock's time
  const double seconds = text::parse_number(option, text);
  if (seconds > largest) {
    throw text::bad_value(option, text,
                          fmt::format("is too large; legal: seconds, up to {:g}", largest));
  }
  return seconds;
}

void add_operator(OptionTable& table, Options& options) {
  table.add_with_default("--op", names_in(operations()), "sum",
                         "What combines the elements; compose is of maps a x + b, packed into "
                         "integers, and does not commute",
                         [&options](std::string_view option, const std::string& text) {
                           options.combined_by.operation = &find_operation(option, text);
                         });
  table.add_with_default("--type", names_in(element_types()), "int", "Of the elements",
                         [&options](std::string_view option, const std::string& text) {
                           options.combined_by.type = &find_type(option, text);
                         });
  table.add("--gamma", "SECONDS",
            "In a simulation: how long it takes to combine a byte, as in --model hockney:gamma= of "
            "allgather_schedule [0]",
            into(options.gamma, parse_gamma));
  table.add_flag(
      "--charge-schedule", options.charge_schedule,
      "Make schedules that depend on arrivals anew in each call, in its time; without it "
      "they are made before the ranks are synchronised");
}

void add_what_to_measure(OptionTable& table, const collectives::Collective& collective,
                         Options& options) {
  table.begin_group("What to measure");
  // Of a reduction: whole elements of every type.
  const int least_bytes = collective.combines ? 8 : 1;
  const text::Option range = table.add_with_default(
      "-m,--message-size", "[MIN:]MAX", fmt::format("{}:{}", least_bytes, osu_max_bytes),
      "Block sizes in bytes, from MIN to MAX, doubling: 1:1M, 64K",
      into(options.sizes, parse_osu_range));
  table
      .add("--sizes", "LIST", "Block sizes as a list: 1K,64K,1M",
           [&options](std::string_view option, const std::string& text) {
             options.sizes = text::parse_bytes_list(option, text);
             options.sizes_option = option;
           })
      .excludes(range);
  table.add_with_default(
      "--algorithms", "LIST", std::string(collective.default_algorithms),
      fmt::format("Names, some with a parameter (bruck:k=4); native:NAME: the MPI library's own "
                  "algorithm of that name; --list shows them. Ours also take {}. Sets: {}",
                  algorithms::message_form_text, algorithms::set_descriptions(collective)),
      into(options.algorithms, [&collective](std::string_view option, const std::string& text) {
        return algorithms::parse_algorithms(option, text, collective);
      }));
  if (collective.unequal_blocks) {
    table.add_with_default(
        "--distributions", "LIST", options.distributions,
        "How block sizes differ between ranks: names, all, file:PATH (a line a rank: "
        "a size, or a factor such as 0.5c; # begins a comment). --list shows them",
        into(options.distributions, parse_later));
  }
  table.add_with_default(
      "--arrival", "LIST", options.arrivals,
      "When ranks arrive, relative to the first: delayed:rank=3,delay=5ms, uniform:max=4t, "
      "trace:FILE and others that --list shows; times in us, ms, s, or t (the time of one block's "
      "message). With any pattern, none is measured too, for comparison",
      into(options.arrivals, parse_later));
  if (collective.combines) add_operator(table, options);
  table.add_with_default(
      "--prediction", alternatives(arrivals::predictor_names), options.prediction.label,
      "Where algorithms that predict arrivals have them from: edge (each rank extrapolates at half "
      "of its computation), sma (the mean of its last 5 computations), perfect (what --arrival "
      "asks "
      "for), or that spoilt: wrong:shuffled, wrong:reversed, noise:SIGMA (200us, 0.3t). All but "
      "edge are told when the computation begins",
      into(options.prediction, arrivals::parse_prediction));
  table.add("--compute", "TIME",
            "Compute for this time before each rank's delay; algorithms that predict arrivals "
            "watch it [100ms with such algorithms, else 0]",
            into(options.compute, parse_duration_or_0));
  table.add("--wait", alternatives(wait_names),
            "Spin or sleep during --compute and delays, or work: --compute is then as much "
            "arithmetic as takes that time on an undisturbed rank 0 [busy, or sleep where ranks "
            "share processors]",
            into(options.wait, word(wait_names)));
  table.add("--mapping", "LIST",
            "Renumber ranks by node: sequential (fill a node first), cyclic (one on each in turn), "
            "or both [as launched]",
            into(options.mappings, parse_mappings));
  table.add("--launched-mapping", alternatives(mapping_names),
            "The mapping that the launcher was asked for: what rows say, while ranks stay as they "
            "are [as "
            "launched]",
            into(options.launched_mapping, word(mapping_names)));
  table.add("--ranks-per-node", "N",
            "Pretend, for --mapping and for algorithms that depend on nodes, that ranks 0 to N-1 "
            "are on one node, and so on [the nodes as they are]",
            into(options.ranks_per_node, integer(1, max_ranks)));
  table.add("--topology", "FILE",
            "Switch tree in the form of Slurm's topology.conf, for algorithms such as "
            "topology_ring",
            into(options.topology, parse_file_name));
  if (can_be_replayed(collective)) add_replay(table, collective, options.replay);
  table.add(
      "--groups", std::string(group_forms),
      "Cut the ranks into groups that run at the same time, each on a communicator of its "
      "own, as sharded training does: by rank modulo N, by N ranks after one another, by node, "
      "or as a file has it (a line a rank: the name of its group). In other turns one group "
      "runs alone, so that it is seen what they cost each other [one group]",
      into(options.groups, parse_grouping));
  table.add("--beside", "KIND:SIZE",
            "In other turns, have another collective of the library under way on a second "
            "communicator of the same ranks, with blocks of that size: reduce_scatter:1M, as fully "
            "sharded training has beside its all-gathers; allreduce, allgather, alltoall [nothing]",
            into(options.beside, parse_later));
  table.add("--congest", "RANKS:PATTERN:SIZE",
            "Measure the other ranks of the launch alone. In other turns, let these (4:7, 1:15:2, "
            "3,7; not 0) send to each other, in messages of that size, as another job on the same "
            "network does: incast (all to the first), outcast, alltoall, shift (each to the one "
            "half of them further on) [nobody]",
            into(options.congest, parse_later));
  table.add("--overlap", "TESTS",
            "Begin each call and wait for it apart, and in other turns compute in between for as "
            "long as the call alone takes, with so many calls of MPI_Test (0: none), as "
            "the OSU benchmarks do; for native_nonblocking, native_persistent and our schedules "
            "[no]",
            into(options.overlap, integer(0, max_tests)));
  if (!collective.one_buffer) {
    table.add_flag("-l,--in-place", options.in_place, "Use MPI_IN_PLACE: no send buffer");
  }
  if (collective.kind == &collectives::allgather) {
    table.add_with_default(
        "--datatype", fmt::format("{}", fmt::join(datatype_forms, "|")), BufferType{}.text,
        "Of the buffers: counts are of its elements, of which sizes are multiples. vector: an "
        "element is BLOCK bytes of data every STRIDE bytes; nobody may write what lies between",
        into(options.datatype, parse_datatype));
  }
  if (collective.unequal_blocks) {
    table.add_with_default(
        "--displacements", fmt::format("{}", fmt::join(displacement_forms, "|")),
        Displacements{}.text(),
        "Where the blocks lie in the receive buffer: one behind the other; with so many bytes "
        "before each that nobody may write; or by their ranks' binary digits read from the right, "
        "the largest first",
        into(options.displacements, parse_displacements));
  }
  if (collective.has_root) {
    table.add_with_default(
        "--root", "R", fmt::to_string(options.root.value()),
        collective.combines ? "The rank that gets the result"
                            : "The rank that all get the block from",
        into(options.root, [](std::string_view option, const std::string& text) {
          return static_cast<int>(text::parse_integer(option, text, 0, max_ranks));
        }));
  }
  table.add_with_default(
      "--noncontiguous", alternatives(algorithms::noncontiguous_names),
      std::string(name_in(algorithms::noncontiguous_names, options.noncontiguous)),
      "How to send blocks that are not contiguous: pipelined (one message "
      "each), packed (copied into one message), datatype; an algorithm may have its own: "
      "sparbit:noncontiguous=packed",
      into(options.noncontiguous, word(algorithms::noncontiguous_names)));
  table.add(
      "--buffers", "USE",
      fmt::format("What happens to buffers before each call, before the ranks are "
                  "synchronised: {}. same: nothing, as in the OSU benchmarks; fresh: each "
                  "rank writes what it sends anew; rotate: each call has another pair of "
                  "buffers, of a ring of at least BYTES a rank (several times the last-level "
                  "cache is usual); cold: each rank reads BYTES of something else (twice the "
                  "last-level cache) [fresh; with --sync none, and in a simulation, which has no "
                  "caches, same]",
                  fmt::join(buffer_forms, ", ")),
      into(options.buffers, parse_buffers));
  table.add_with_default(
      "--buffer-offset", "BYTES", fmt::to_string(options.place.offset),
      "Begin the send and the receive buffer so many bytes behind the begin of a "
      "page",
      into(options.place.offset, integer(0, page_bytes - 1)));
  table.add_with_default(
      "--pages", alternatives(pages_names), std::string(name_in(pages_names, options.place.pages)),
      "What pages these buffers lie in: as usual, small ones alone, or huge ones "
      "where 2 MiB fit in (Linux's transparent huge pages)",
      into(options.place.pages, word(pages_names)));
  table.add_flag("--measure-model", options.measure_model,
                 "Measure alpha, beta (Hockney's) and tau (Loch's) on these ranks first, and print "
                 "and write them as --model of allgather_schedule cost takes them");
}

void add_how_long(OptionTable& table, Options& options) {
  table.begin_group("How long");
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
  table.add("--sync", alternatives(sync_names),
            "How ranks synchronise before each iteration: barrier, double-barrier, dissemination, "
            "window (start at an agreed time of synchronised clocks), or none (calls back to back, "
            "each after --compute if given) [dissemination with --duet, double-barrier with "
            "--arrival, else barrier]",
            into(options.sync, word(sync_names)));
  table.add_with_default(
      "--order", fmt::format("{}", fmt::join(order_forms, "|")), options.order.text(),
      "Order of the iterations: interleaved (the algorithms take turns, shuffled in each round; a "
      "turn is so many calls behind one that is not counted, so that each finds what a call of its "
      "own left) or sequential (one algorithm after the other)",
      into(options.order, parse_order));
  table.add_with_default("--size-order", alternatives(size_order_names),
                         std::string(name_in(size_order_names, options.size_order)),
                         "Order in which sizes are measured and printed: as given, or shuffled for "
                         "each distribution and arrival pattern, so that what changes in the "
                         "course of a launch does not look like an effect of the size",
                         into(options.size_order, word(size_order_names)));
  table.add("--seed", "N",
            "Seed of the shuffles and the random arrival patterns; launches that are to draw the "
            "same delays need the same one [another one in each launch; in a simulation 1]",
            into(options.seed, integer(0, max_seed)));
  table.add("--duet", "NAME@ADDRESS",
            "Alternate, round by round, with another job that measures the same cases and names "
            "the same ADDRESS: a path (/tmp/duet, if both begin on one node) or HOST:PORT. NAME is "
            "this job's",
            into(options.duet, parse_duet));
  table.add_with_default("--timeout", "TIME", fmt::format("{}s", options.timeout),
                         "End the run if it makes no progress for this time",
                         into(options.timeout, text::parse_duration));
  table.add("-M,--mem-limit", "BYTES",
            "Memory that the buffers of a rank may take at most: 512M [what its node has]",
            into(options.mem_limit, text::parse_bytes));
}

void add_what_to_print(OptionTable& table, Options& options) {
  table.begin_group("What is printed");
  table.add("--table", alternatives(table_names),
            "osu: OSU's table of each algorithm, of several when all sizes are measured; "
            "side-by-side: one table, sizes down and algorithms across, a row as soon as a size is "
            "measured [osu for one algorithm or with -f, -c, -z or --std-dev, else side-by-side]",
            into(options.table, word(table_names)));
  table.add_flag("-f,--full", options.full, "Print the Min, Max and Iterations columns too");
  table.add_flag("-c,--validation", options.validation,
                 "Validate the results of the timed iterations too, and print a Validation column "
                 "(each case is validated before it is timed anyway)");
  table.add("--check-up-to", "BYTES",
            "Validate only cases up to this block size; in a simulation the bytes of larger blocks "
            "then take no memory [all cases]",
            [&](std::string_view option, const std::string& text) {
              options.check_up_to = text::parse_bytes(option, text);
              if (!options.validation) return;
              throw text::bad_value(
                  option, text,
                  "contradicts --validation, which checks every iteration; legal: one of them");
            });
  table
      .add("-z,--tail-lat", "LIST", "Print columns of these percentiles, such as 99.9",
           into(options.percentiles, parse_percentiles))
      .may_be_bare("50,90,99");
  table.add_flag("--std-dev", options.std_dev,
                 "Print the standard deviation of the average latency over the iterations, too");
  table.add_flag("--progress", options.progress,
                 "Show progress on standard error before each case even if that is no terminal "
                 "[there a line a minute]");
  table.add_flag("--no-progress", options.no_progress, "Show no progress, on no terminal either");
}

void add_result_file(OptionTable& table, Options& options) {
  table.begin_group("Where results go");
  table.add(
      "-o,--output", "FILE",
      "Write every iteration to this new file, as CSV, case by case; compressed if it ends in "
      ".gz",
      into(options.output, parse_result_name));
  table.add_flag("--resume", options.resume,
                 "Continue the run in --output FILE (begin it if there is no such file)");
  table.add(
      "--record", alternatives(record_names),
      fmt::format("Also write each rank's times, to FILE.ranks.csv; those of each step of our "
                  "own schedules, to FILE.steps.csv; what network, energy and throttling "
                  "counters of the hosts did in a case, to FILE.counters.csv; several: "
                  "ranks,counters. Steps are of further calls after the timed ones, as many, "
                  "but at most {}",
                  most_recorded_calls),
      into(options.recorded, parse_recorded));
  table
      .add("--note", "KEY=VALUE",
           "A note on this launch, written to FILE as #@note.KEY=VALUE; may be given several times",
           [&](std::string_view option, const std::string& text) {
             add_note(options.notes, option, text);
           })
      .repeatable();
}

void add_instead_of_measuring(OptionTable& table, Options& options) {
  table.begin_group("Instead of measuring");
  table.add_flag("--list", options.list, "List the algorithms, distributions and arrival patterns");
  table.add_flag("--dry-run", options.dry_run,
                 "Show the cases and the memory that this command would take");
}

}  // namespace

std::variant<Options, Ending> parse_options(const collectives::Collective& collective, int argc,
                                            char** argv) {
  Options options;
  OptionTable table(fmt::format("Times MPI_{} by every published algorithm, checked byte by byte, "
                                "and prints the times side by side, or one algorithm's as OSU "
                                "does.\nSizes take K, M, G (powers of 1024). Example: "
                                "mpirun -n 16 {} --sizes 1K,64K --output run.csv",
                                collective.title, collective.executable),
                    std::string(collective.executable),
                    fmt::format("{} {}", collective.executable, version));
  options.in_place = collective.one_buffer;
  if (collective.has_root) options.root = 0;
  if (collective.combines) {
    options.prediction = {.from = arrivals::Predictor::perfect, .sigma = {}, .label = "perfect"};
  }
  if (collective.packs) options.noncontiguous = algorithms::Noncontiguous::packed;
  add_what_to_measure(table, collective, options);
  add_how_long(table, options);
  add_what_to_print(table, options);
  add_result_file(table, options);
  add_instead_of_measuring(table, options);
  table.add_config("What to measure", "Instead of measuring");
  table.accept_former(former_options);
  try {
    if (auto printed = table.parse({argv + 1, argv + argc})) return Ending{std::move(*printed), 0};
    require_consistent(table, options);
    return options;
  } catch (const text::InputError& error) {
    return Ending{fmt::format("{}: {}\n", collective.executable, text::in_one_line(error.what())),
                  2};
  }
}

}  // namespace gatherbench::bench
