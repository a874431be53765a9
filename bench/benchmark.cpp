// SPDX-License-Identifier: BSD-3-Clause
#include "bench/benchmark.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "bench/case_loop.h"
#include "bench/cases/same_messages.h"
#include "bench/listing.h"
#include "bench/load/congestion.h"
#include "bench/machine/counter_recorder.h"
#include "bench/machine/machine.h"
#include "bench/measure_model.h"
#include "bench/meet_partner.h"
#include "bench/native/library_settings.h"
#include "bench/native/native_choice.h"
#include "bench/options/command_line.h"
#include "bench/options/options.h"
#include "bench/process/launch.h"
#include "bench/process/mpi_environment.h"
#include "bench/process/rank_zero.h"
#include "bench/process/watchdog.h"
#include "bench/results/metadata.h"
#include "bench/results/result_file.h"
#include "bench/samples/lateness.h"
#include "bench/settle_seed.h"
#include "bench/setup/dry_run.h"
#include "bench/setup/prepare_setup.h"
#include "formats/text/input_error.h"
#include "formats/text/one_line.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr int exit_done = 0;
constexpr int exit_wrong = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_unfinished = 3;

/// Empty too where ranks do not run one collective together, so that there is no one answer.
std::string find_same_messages(const Setup& setup, MPI_Comm world) {
  if (setup.replay) return "";
  std::vector<algorithms::Placement> placements;
  for (const MappedCases& part : setup.parts) {
    if (part.groups.size() > 1) return "";
    placements.push_back(part.placement);
  }
  return find_same_messages(setup.contenders, placements, setup.options.noncontiguous, world);
}

/// Measures what a reading of the clock takes on the slowest rank, in us. Collective.
std::string find_clock_reading(MPI_Comm world) {
  double us = measure_clock_reading_us();
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, world), "MPI_Allreduce");
  return fmt::format("{:.3f}", us);
}

/// What the process was started with.
struct Invocation {
  std::vector<std::string> command;
  LibrarySettings library_settings;  ///< before we add our own
};

/// Collective.
void describe_launch(const Setup& setup, const Invocation& invocation,
                     const std::optional<CounterRecorder>& counters, MPI_Comm world,
                     formats::Metadata& metadata) {
  const Options& options = setup.options;
  const auto add = [&](const formats::Metadata& more) {
    std::ranges::copy(more, std::back_inserter(metadata));
  };
  const auto add_found = [&](const char* key, std::string text) {
    if (!text.empty()) metadata.emplace_back(key, std::move(text));
  };
  metadata.emplace_back("library_settings", describe_library_settings(invocation.library_settings));
  add(describe_circumstances(invocation.command, setup.nodes, *options.collective));
  add(collect_machine(setup.nodes, world));
  add_found("load_start", find_load(world));
  add_found("chosen_at_start", find_choice_at_start(*options.collective, options.algorithms));
  add_found("same_messages", find_same_messages(setup, world));
  if (!mpi::rank_model().one_process) {
    metadata.emplace_back("clock_reading_us", find_clock_reading(world));
  }
  add_found("counters_left_out", counters ? counters->left_out() : "");
}

/// Draws the places of random buffers and records them. The seed has to be settled before, since a
/// duet's partner may have it.
void draw_places(Setup& setup, formats::Metadata& metadata) {
  BufferOffsets& offsets = setup.options.places.offsets;
  if (!offsets.random) return;
  offsets = offsets.drawn(setup.options.seed.value());
  metadata.emplace_back("buffer_offset_drawn", offsets.in_numbers());
}

int run_options(Options options, const Invocation& invocation, Congestion& congestion, int rank) {
  const MPI_Comm world = congestion.measured();
  const Seed seed = settle_seed(options, world);
  options.seed = seed.value;
  Setup setup = prepare_setup(options, congestion);
  std::optional<CounterRecorder> counters;
  if (options.records(formats::File::counters)) {
    counters.emplace(setup.nodes, world, "/");
    if (!counters->left_out().empty()) {
      setup.notes.push_back(fmt::format("counters are left out: {}", counters->left_out()));
    }
  }
  if (options.dry_run) {
    if (rank == 0) fmt::print("{}", describe_dry_run(setup));
    return exit_done;
  }
  formats::Metadata metadata = describe_run(setup);
  Duet duet = meet_partner(setup, seed, metadata, world);
  draw_places(setup, metadata);
  if (options.size_order == SizeOrder::shuffled) {
    for (MappedCases& part : setup.parts) shuffle_sizes(part.cases, setup.options.seed.value());
  }
  describe_launch(setup, invocation, counters, world, metadata);
  std::ranges::copy(duet.metadata, std::back_inserter(metadata));
  std::ranges::copy(measure_model(setup, metadata, world), std::back_inserter(metadata));
  ResultFile file;
  on_rank_zero(world, [&] {
    if (!options.output.empty()) {
      file = ResultFile(options.output, metadata, options.resume, options.recorded, duet.max_cases);
    }
    return std::string();
  });
  duet.turns.start();  // from here on all is done in turns
  CaseLoop cases(std::move(setup), std::move(file), std::move(duet.turns), std::move(counters),
                 congestion);
  cases.run();
  return cases.wrong() > 0 ? exit_wrong : exit_done;
}

int print_ending(const Ending& ending, int rank) {
  std::FILE* const stream = ending.exit_code == 0 ? stdout : stderr;
  if (rank == 0) fmt::print(stream, "{}", ending.text);
  return ending.exit_code;
}

/// What needs no run need not wait for MPI, which may take long to start, or not start at all.
std::optional<int> end_without_mpi(const std::variant<Options, Ending>& parsed) {
  const Ending* const ending = std::get_if<Ending>(&parsed);
  if (ending == nullptr || may_have_company()) return std::nullopt;
  return print_ending(*ending, 0);
}

/// Lists, congests or measures.
int run_ranks(const Options& options, const Invocation& invocation, int rank) {
  if (options.list) {
    const std::string text =
        make_listing(*options.collective);  // asks the library, on every rank alike
    if (rank == 0) fmt::print("{}", text);
    return exit_done;
  }
  constexpr std::string_view option = "--congest";
  Congestion congestion(option, parse_congestion(option, options.congest), MPI_COMM_WORLD);
  if (!congestion.congests()) {
    return run_options(options, invocation, congestion, rank);
  }
  congestion.serve();
  return exit_done;
}

}  // namespace

int run_benchmark(const collectives::Collective& collective, int argc, char** argv) {
  const Invocation invocation{{argv, argv + argc}, settings_in_environment()};
  const std::string_view program = collective.executable;
  const std::variant<Options, Ending> parsed = parse_options(collective, argc, argv);
  const Options* const options = std::get_if<Options>(&parsed);
  if (const std::optional<int> code = end_without_mpi(parsed)) return *code;
  if (options != nullptr) prepare_native_variants(collective, options->algorithms);
  // A full disk or a size limit is an error of write(), not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);

  // More than is needed would cost all algorithms time.
  const bool threads = options != nullptr && !options->replay.is_asked() &&
                       any_has_helper_thread(options->algorithms, options->prediction.from);
  const MpiEnvironment environment(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  try {
    require_one_command(argc, argv);
    if (const Ending* const ending = std::get_if<Ending>(&parsed)) {
      return print_ending(*ending, environment.rank());
    }
    require_own_launcher();
    const Watchdog watchdog(program, environment.rank(), options->timeout);
    return run_ranks(*options, invocation, environment.rank());
  } catch (const text::InputError& error) {
    if (environment.rank() == 0) {
      fmt::print(stderr, "{}: {}\n", program, text::in_one_line(error.what()));
    }
    return exit_bad_input;
  } catch (const std::exception& error) {
    // One rank alone is here; the others wait for it in some call.
    fmt::print(stderr, "{}: rank {}: {}\n", program, environment.rank(), error.what());
    std::fflush(nullptr);
    // Some launchers drop what a rank wrote in the moment before it ends the job.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, exit_unfinished);
    return exit_unfinished;
  }
}

}  // namespace gatherbench::bench
