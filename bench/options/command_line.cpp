// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <limits>

#include "bench/options/option_lists.h"
#include "bench/options/words.h"
#include "gatherbench_version.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t osu_largest_bytes = std::int64_t{1} << 20;
constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::int64_t most_ranks = 1 << 24;

/// Line breaks, so that help fits 80 columns beside the column of names. CLI11 indents what
/// follows.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 58;
  std::string lines;
  std::size_t column = 0;
  for (const std::string_view word : text::split(text, ' ')) {
    if (column > 0 && column + word.size() >= width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
    }
    lines += word;
    column += word.size() + 1;
  }
  return lines;
}

/// The options as CLI11 takes them: text, so that every error has our one line.
struct Texts {
  std::string message_size = fmt::format("1:{}", osu_largest_bytes);
  std::string sizes, algorithms = "thesis,native", mapping, ranks_per_node,
                     noncontiguous = "pipelined";
  std::string iterations, warmup, order = "interleaved", seed = "1", precision, max_time;
  std::string timeout = "300s", mem_limit, percentiles, record, check_up_to;
  std::string compute, hold, sync, duet;
  std::vector<std::string> notes;
};

void add_options(CLI::App& app, Collective collective, Texts& texts, Options& options) {
  const auto text = [&](const char* group, const char* names, std::string& value,
                        const std::string& help) {
    return app.add_option(names, value, wrapped(help))->group(group)->type_name("WORD");
  };
  const auto flag = [&](const char* group, const char* names, bool& value,
                        const std::string& help) {
    return app.add_flag(names, value, wrapped(help))->group(group);
  };

  const char* group = "What to measure";
  auto* const range = text(group, "-m,--message-size", texts.message_size,
                           "Block sizes [MIN:]MAX in bytes, doubling: 1:1M, 64K")
                          ->type_name("[MIN:]MAX");
  text(group, "--sizes", texts.sizes, "Block sizes as a list: 1K,64K,1M")
      ->type_name("LIST")
      ->excludes(range);
  text(group, "--algorithms", texts.algorithms,
       "Names, some with a parameter (bruck:k=4); thesis: the five of Loch 2021; arrival_aware: "
       "those that predict arrivals; all: all others; "
       "native:NAME is the MPI library's own algorithm of that name. --list tells them")
      ->type_name("LIST")
      ->capture_default_str();
  if (collective == Collective::allgatherv) {
    text(group, "--distributions", options.distributions,
         "How block sizes differ between ranks: names, all, file:PATH (a size or a factor such as "
         "0.5c on each line, one line a rank). --list tells them")
        ->type_name("LIST")
        ->capture_default_str();
  }
  text(group, "--arrival", options.arrivals,
       "When ranks arrive, relative to the first: delayed:rank=3,delay=5ms, uniform:max=4t, "
       "trace:FILE and others, as --list tells; times in us, ms, s, or t (the time of one block's "
       "message). With any, none is run too, to compare with")
      ->type_name("LIST")
      ->capture_default_str();
  text(group, "--compute", texts.compute,
       "Computation before each rank's delay, which algorithms that predict arrivals watch [100ms "
       "with these under an arrival pattern, else 0]")
      ->type_name("TIME");
  text(group, "--delay", texts.hold,
       "How that time passes: busy or sleep [busy, or sleep where ranks share processors]");
  text(group, "--mapping", texts.mapping,
       "Reorder ranks by node: sequential (fill a node first), cyclic (one on each in turn), or "
       "both; else as launched")
      ->type_name("LIST");
  text(
      group, "--ranks-per-node", texts.ranks_per_node,
      "Pretend that ranks 0 to N-1 are on one node, and so on, to --mapping and to algorithms that "
      "ask [the nodes that there are]")
      ->type_name("N");
  text(group, "--topology", options.topology,
       "Switch tree, as in Slurm's topology.conf, for topology_ring and its kin")
      ->type_name("FILE");
  flag(group, "-l,--in-place", options.in_place, "MPI_IN_PLACE: no send buffer");
  text(group, "--noncontiguous", texts.noncontiguous,
       "How blocks that do not lie together travel: pipelined (a message each), packed (copied "
       "into one), datatype")
      ->capture_default_str();

  group = "How long";
  text(group, "-i,--iterations", texts.iterations,
       "Timed iterations of each algorithm and case [1000, above 8 KiB 100]")
      ->type_name("N");
  text(group, "-x,--warmup", texts.warmup, "Untimed ones before them [100, above 8 KiB 10]")
      ->type_name("N");
  text(group, "--precision", texts.precision,
       "End a case when the 95 % confidence interval of every algorithm's median is within this: "
       "5%")
      ->type_name("PERCENT");
  text(group, "--max-time", texts.max_time,
       "End a case after this time (500ms, 2s, 1m); a tenth of it may go to warm-up")
      ->type_name("TIME");
  text(group, "--sync", texts.sync,
       "Before each iteration: barrier, double-barrier, dissemination, or window (a start time "
       "agreed on by synchronised clocks) [double-barrier with --arrival, else barrier]");
  text(group, "--order", texts.order,
       "interleaved (every algorithm once a round, shuffled) or sequential")
      ->capture_default_str();
  text(group, "--seed", texts.seed, "For all that is random")
      ->capture_default_str()
      ->type_name("N");
  text(
      group, "--duet", texts.duet,
      "Take turns, round by round, with another job of the same cases that names the same ADDRESS: "
      "a path (/tmp/duet, where both begin on one node) or HOST:PORT. NAME is this job's")
      ->type_name("NAME@ADDRESS");
  text(group, "--timeout", texts.timeout, "End the run if nothing proceeds for this time")
      ->capture_default_str()
      ->type_name("TIME");
  text(group, "-M,--mem-limit", texts.mem_limit,
       "Most memory a rank may use for buffers: 512M [what its node has]")
      ->type_name("BYTES");

  group = "What is printed";
  flag(group, "-f,--full", options.full, "Min, Max and Iterations columns too");
  flag(group, "-c,--validation", options.validation,
       "Check the results of the timed iterations too, and print a Validation column (each case is "
       "checked before it is timed anyway)");
  text(group, "--check-up-to", texts.check_up_to,
       "Check cases up to this block size only; in a simulation the bytes of larger ones then take "
       "no memory [all are checked]")
      ->type_name("BYTES");
  text(group, "-z,--tail-lat", texts.percentiles, "Percentile columns [50,90,99]")
      ->expected(0, 1)
      ->default_str("50,90,99")
      ->type_name("LIST");
  flag(group, "--progress", options.progress, "Progress on standard error even if no terminal");

  group = "Where results go";
  text(group, "--output", options.output, "Every iteration, as CSV, case by case; a new file")
      ->type_name("FILE");
  flag(group, "--resume", options.resume,
       "Go on with the run that --output FILE holds (begin it if there is none)");
  text(group, "--record", texts.record,
       "ranks: every rank's times, into a second file FILE.ranks.csv");
  app.add_option("--note", texts.notes,
                 wrapped("Something to remember of this launch, as #@note.KEY=VALUE in the file; "
                         "may be given several times"))
      ->group(group)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);

  group = "Instead of measuring";
  flag(group, "--list", options.list, "What there is: algorithms, distributions, arrival patterns");
  flag(group, "--dry-run", options.dry_run, "Cases and memory of this command; measures nothing");
  app.set_version_flag("--version", std::string(version))->group(group);
  app.set_help_flag("-h,--help", "This text")->group(group);
  app.set_config("--config", "", "Options from a file, as option=value lines")
      ->group("What to measure")
      ->type_name("FILE");
}

void parse_texts(const CLI::App& app, const Texts& texts, Options& options) {
  const auto given = [&](const char* option) { return app.count(option) > 0; };
  options.sizes = given("--sizes") ? text::parse_bytes_list("--sizes", texts.sizes)
                                   : text::parse_bytes_range("--message-size", texts.message_size,
                                                             osu_largest_bytes);
  options.algorithms = algorithms::parse_algorithms("--algorithms", texts.algorithms);
  if (given("--ranks-per-node")) {
    options.ranks_per_node =
        text::parse_integer("--ranks-per-node", texts.ranks_per_node, 1, most_ranks);
  }
  if (given("--topology") && options.topology.empty()) {
    throw text::bad_value("--topology", "", "is no file name");
  }
  if (given("--mapping")) options.mappings = parse_mappings(texts.mapping);
  options.noncontiguous = parse_named("--noncontiguous", noncontiguous_names, texts.noncontiguous);
  if (given("--compute")) {
    options.compute = texts.compute == "0" ? 0 : text::parse_duration("--compute", texts.compute);
  }
  if (given("--delay")) options.hold = parse_named("--delay", hold_names, texts.hold);
  if (given("--sync")) options.sync = parse_named("--sync", sync_names, texts.sync);
  options.order = parse_named("--order", order_names, texts.order);
  options.seed = static_cast<std::uint64_t>(
      text::parse_integer("--seed", texts.seed, 0, std::numeric_limits<std::int64_t>::max()));
  if (given("--iterations")) {
    options.iterations = text::parse_integer("--iterations", texts.iterations, 1, most_iterations);
  }
  if (given("--warmup")) {
    options.warmup = text::parse_integer("--warmup", texts.warmup, 0, most_iterations);
  }
  if (given("--precision"))
    options.precision = text::parse_fraction("--precision", texts.precision);
  if (given("--max-time")) options.max_time = text::parse_duration("--max-time", texts.max_time);
  options.timeout = text::parse_duration("--timeout", texts.timeout);
  if (given("--duet")) {
    options.duet = parse_duet("--duet", texts.duet);
    for (const char* const option : {"--precision", "--max-time"}) {
      if (!given(option)) continue;
      throw text::InputError(
          fmt::format("--duet: does not go with {}: both jobs have the same number of "
                      "rounds; legal: --iterations",
                      option));
    }
    if (options.order != Order::interleaved) {
      throw text::InputError("--duet: needs --order interleaved: a turn is one round");
    }
  }
  options.notes = parse_notes("--note", texts.notes);
  if (given("--mem-limit")) options.mem_limit = text::parse_bytes("--mem-limit", texts.mem_limit);
  if (given("--check-up-to")) {
    options.check_up_to = text::parse_bytes("--check-up-to", texts.check_up_to);
    if (options.validation) {
      throw text::bad_value(
          "--check-up-to", texts.check_up_to,
          "contradicts --validation, which checks every iteration; legal: one of them");
    }
  }
  if (given("--tail-lat")) options.percentiles = parse_percentiles(texts.percentiles);
  if (given("--record")) {
    options.record_ranks =
        parse_named("--record", std::array{Named<bool>{"ranks", true}}, texts.record);
  }
  if (options.output.empty()) {
    if (given("--output")) throw text::bad_value("--output", "", "is no file name");
    for (const char* const option : {"--resume", "--record", "--note"}) {
      if (given(option)) throw text::InputError(fmt::format("{}: needs --output FILE", option));
    }
  }
}

/// What CLI11 did not know, as one of our errors.
void require_no_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  std::vector<std::string_view> legal;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) legal.push_back(name);
  }
  const std::string& first = extras.front();
  const std::string word = first.substr(0, first.find('='));
  const std::size_t dashes = word.starts_with("--") ? 2 : 0;
  const std::string file = app.count("--config") > 0 ? app["--config"]->results().front() : "";
  const bool from_file = dashes == 0 && !file.empty();
  throw text::unknown_name(from_file ? "--config " + file : "command line", "option",
                           word.substr(dashes), legal);
}

}  // namespace

std::variant<Options, Ending> parse_options(Collective collective, int argc, char** argv) {
  const CollectiveNames names = names_of(collective);
  CLI::App app{fmt::format("Times MPI_{} by every published algorithm, checked byte by byte, and "
                           "prints OSU's table.\nSizes take K, M, G (powers of 1024). Example: "
                           "mpirun -n 16 {} --sizes 1K,64K --output run.csv",
                           names.title, names.executable),
               std::string(names.executable)};
  app.allow_extras();
  app.allow_config_extras(CLI::config_extras_mode::capture);
  app.get_formatter()->column_width(22);
  app.get_config_formatter_base()->arrayDelimiter('\0');  // a list is one value, commas and all
  Options options;
  Texts texts;
  add_options(app, collective, texts, options);
  try {
    app.parse(argc, argv);
    require_no_extras(app);
    parse_texts(app, texts, options);
    return options;
  } catch (const CLI::CallForHelp&) {
    return Ending{app.help(), 0};
  } catch (const CLI::CallForVersion&) {
    return Ending{fmt::format("{} {}\n", names.executable, version), 0};
  } catch (const CLI::FileError& error) {
    return Ending{fmt::format("{}: --config: {}\n", names.executable, error.what()), 2};
  } catch (const CLI::ParseError& error) {
    return Ending{fmt::format("{}: {}\n", names.executable, error.what()), 2};
  } catch (const text::InputError& error) {
    return Ending{fmt::format("{}: {}\n", names.executable, error.what()), 2};
  }
}

}  // namespace gatherbench::bench
