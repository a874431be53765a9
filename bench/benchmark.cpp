// SPDX-License-Identifier: BSD-3-Clause
#include "bench/benchmark.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "bench/case_loop.h"
#include "bench/conditions/congestion.h"
#include "bench/host/counters.h"
#include "bench/host/devices.h"
#include "bench/host/machine.h"
#include "bench/host/rank_zero.h"
#include "bench/host/watchdog.h"
#include "bench/launch.h"
#include "bench/listing.h"
#include "bench/measure/lateness.h"
#include "bench/meet_partner.h"
#include "bench/model/measure_model.h"
#include "bench/native/library_settings.h"
#include "bench/native/native_choice.h"
#include "bench/options/command_line.h"
#include "bench/options/options.h"
#include "bench/plan/prepare_setup.h"
#include "bench/plan/same_messages.h"
#include "bench/results/metadata.h"
#include "bench/results/result_file.h"
#include "formats/text/input_error.h"
#include "formats/text/printed.h"
#include "formats/text/words.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

/// Initialises and finalises MPI. `level` is what is asked of its threads.
class MpiEnvironment {
 public:
  MpiEnvironment(int* argc, char*** argv, int level) {
    int provided = 0;
    // The message has a number, since MPI tells no text before it is initialised.
    if (const int code = MPI_Init_thread(argc, argv, level, &provided); code != MPI_SUCCESS) {
      throw std::runtime_error("MPI_Init_thread failed with code " + std::to_string(code));
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rank_ = mpi::rank_of(MPI_COMM_WORLD);
  }
  ~MpiEnvironment() { MPI_Finalize(); }
  MpiEnvironment(const MpiEnvironment&) = delete;
  MpiEnvironment& operator=(const MpiEnvironment&) = delete;
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_ = 0;
};

constexpr int exit_done = 0;
constexpr int exit_wrong = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_unfinished = 3;

/// Returns which algorithms send the same messages under all mappings. Empty if there are none, and
/// where ranks do not run one collective together, so that there is no one answer.
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

/// The command and the settings with which the process was started.
struct Invocation {
  std::vector<std::string> command;
  std::string library_settings;  ///< of all ranks, before we add our own
};

/// A launch that is settled: its cases are found legal, and nothing is measured or written.
struct Settled {
  Setup setup;
  Seed seed;  ///< this job's own; a duet may have another
  std::optional<CounterRecorder> counters = {};
};

/// Settles the seed and the setup of a launch, and checks that its cases are legal. Collective.
/// Throws InputError on every rank alike.
Settled settle(Options options, const Invocation& invocation, Congestion& congestion) {
  const MPI_Comm world = congestion.measured();
  const Seed seed = settle_seed(options, world);
  options.seed = seed.value;
  Settled launch{prepare_setup(options, congestion), seed};
  Setup& setup = launch.setup;
  if (std::string unlike = unlike_in(invocation.library_settings); !unlike.empty()) {
    setup.notes.push_back(std::move(unlike));
  }
  if (options.records(formats::File::counters)) {
    launch.counters.emplace(setup.nodes, world, "/");
    if (const std::string_view left_out = launch.counters->left_out(); !left_out.empty()) {
      setup.notes.push_back(fmt::format("counters are left out: {}", left_out));
    }
  }
  return launch;
}

/// Returns what the result file says of the launch. The seed is settled, and nothing is drawn by
/// it. Collective.
formats::Metadata describe(const Settled& launch, const Invocation& invocation, const Duet& duet,
                           MPI_Comm world) {
  const Setup& setup = launch.setup;
  const Options& options = setup.options;
  formats::Metadata metadata = describe_run(setup);
  const auto add = [&](const formats::Metadata& more) {
    std::ranges::copy(more, std::back_inserter(metadata));
  };
  const auto add_found = [&](const char* key, std::string text) {
    if (!text.empty()) metadata.emplace_back(key, std::move(text));
  };
  if (const BufferOffsets& offsets = options.places.offsets; offsets.random) {
    metadata.emplace_back("buffer_offset_drawn", offsets.drawn(options.seed.value()).in_numbers());
  }
  metadata.emplace_back("library_settings", invocation.library_settings);
  add(describe_circumstances(invocation.command, setup.nodes, *options.collective));
  add(collect_machine(setup.nodes, world));
  add_found("load_start", find_load(world));
  add_found("chosen_at_start", find_choice_at_start(*options.collective, options.algorithms));
  add_found("same_messages", find_same_messages(setup, world));
  if (!mpi::rank_model().one_process) {
    metadata.emplace_back("clock_reading_us", find_clock_reading(world));
  }
  add_found("counters_left_out", launch.counters ? launch.counters->left_out() : "");
  add(duet.metadata);
  if (options.measure_model) Watchdog::describe(" while measuring the model");
  add(measure_launch_model(setup, metadata, world));
  return metadata;
}

/// Returns the file on rank 0, if there is one; elsewhere none. Collective.
ResultFile open_file(const Options& options, const formats::Metadata& metadata,
                     std::size_t max_cases, MPI_Comm world) {
  ResultFile file;
  run_on_rank_zero(world, [&] {
    if (options.output.empty()) return;
    file = ResultFile(options.output, metadata, options.resume, options.recorded, max_cases);
  });
  return file;
}

/// Returns the setup with all that its seed decides: the places of random buffers, and the order of
/// the sizes.
Setup draw(Setup setup) {
  const std::uint64_t seed = setup.options.seed.value();
  BufferOffsets& offsets = setup.options.places.offsets;
  if (offsets.random) offsets = offsets.drawn(seed);
  if (setup.options.size_order == SizeOrder::shuffled) {
    for (MappedCases& part : setup.parts) shuffle_sizes(part.cases, seed);
  }
  return setup;
}

/// Tells a user who forgot the launcher that there is one rank only.
void note_on_one_rank(const collectives::Collective& collective) {
  if (mpi::rank_model().one_process || mpi::size_of(MPI_COMM_WORLD) > 1) return;
  fmt::print(stderr,
             "{}: 1 rank: nothing is {}; start it with mpirun -n 2 or build/bin/mpirun_here 2\n",
             collective.executable, collective.gathers() ? "gathered" : "sent");
}

/// Takes a launch through its stages: settled, met, described, opened, run.
int run_options(const Options& options, const Invocation& invocation, Congestion& congestion,
                int rank) {
  const MPI_Comm world = congestion.measured();
  Settled launch = settle(options, invocation, congestion);
  if (options.dry_run) {
    if (rank == 0) fmt::print("{}", describe_dry_run(launch.setup));
    return exit_done;
  }
  auto [duet, seed] = meet_partner(launch.setup, launch.seed, world);
  launch.setup.options.seed = seed;
  const formats::Metadata metadata = describe(launch, invocation, duet, world);
  ResultFile file = open_file(options, metadata, duet.max_cases, world);
  note_on_one_rank(*options.collective);
  duet.turns.start();  // from here on all is done in turns
  CaseLoop cases(draw(std::move(launch.setup)), std::move(file), std::move(duet.turns),
                 std::move(launch.counters), congestion);
  cases.run();
  return cases.wrong() > 0 ? exit_wrong : exit_done;
}

int print_ending(const Ending& ending, int rank) {
  std::FILE* const stream = ending.exit_code == 0 ? stdout : stderr;
  if (rank == 0) {
    fmt::print(stream, "{}", ending.text);
    text::require_printed();
  }
  return ending.exit_code;
}

/// Prints the ending of a command that needs no run, and returns its exit code; none if there is no
/// ending, or there may be other ranks. It needs no MPI, which may start late or not at all.
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

RankInput input_of(const std::vector<std::string>& command,
                   const std::variant<Options, Ending>& parsed) {
  RankInput input;
  input.command = command_of(command);
  if (const auto* const options = std::get_if<Options>(&parsed)) {
    input.config = options->config;
    input.given = options->given;
  } else {
    const auto& ending = std::get<Ending>(parsed);
    input.config = ending.config;
    if (ending.exit_code != exit_done) {
      constexpr std::string_view before = ": ";
      const std::size_t begin = ending.text.find(before) + before.size();
      input.refusal = ending.text.substr(begin, ending.text.find('\n') - begin);
    }
  }
  return input;
}

/// This holds what has to outlive every exception. The end of MPI waits for all ranks, and the
/// watchdog watches that too.
struct Process {
  std::optional<Watchdog> watchdog = {};
  std::optional<MpiEnvironment> environment = {};
  double timeout = 0;        ///< seconds, of the watchdog
  int refused_or_other = 1;  ///< whether this is not rank 0, or has refused; then that of rank 0

  [[nodiscard]] int rank() const { return environment ? environment->rank() : launched_rank(); }
};

int run_launch(const collectives::Collective& collective, int argc, char** argv, Process& process) {
  Invocation invocation{{argv, argv + argc}, {}};
  LibrarySettings settings = settings_in_environment();
  const std::variant<Options, Ending> parsed = parse_options(collective, argc, argv);
  const Options* const options = std::get_if<Options>(&parsed);
  if (const std::optional<int> code = end_without_mpi(parsed)) return *code;
  process.timeout = options != nullptr ? options->timeout : Options{}.timeout;
  process.watchdog.emplace(collective.executable, launched_rank(), process.timeout);
  Watchdog::describe(" while starting MPI");
  if (options != nullptr) prepare_native_variants(collective, options->algorithms);
  // Without this signal, a file size limit is an error of write(), not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);

  if (options != nullptr) open_device_before_mpi(options->places);
  // More than the thread level that is needed would cost all algorithms time.
  const bool threads = options != nullptr && !options->replay.is_asked() &&
                       any_has_helper_thread(options->algorithms, options->prediction.from);
  process.environment.emplace(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  const int rank = process.environment->rank();
  process.watchdog->set_rank(rank);
  Watchdog::describe(" while comparing the ranks' commands");
  RankInput input = input_of(invocation.command, parsed);
  if (options != nullptr) input.library_settings = describe_library_settings(std::move(settings));
  invocation.library_settings = require_one_launch(input, MPI_COMM_WORLD);
  if (options == nullptr) return print_ending(std::get<Ending>(parsed), rank);
  if (const std::string unlike = unlike_in(invocation.library_settings); !unlike.empty()) {
    Watchdog::suspect(fmt::format("; the cause may be that {}", unlike));
  }
  require_own_launcher();
  Watchdog::describe(" while preparing the launch");
  const int code = run_ranks(*options, invocation, rank);
  if (rank == 0) text::require_printed();
  return code;
}

void print_line(std::string_view program, int rank, std::string_view what) {
  if (rank == Watchdog::unknown_rank) {
    fmt::print(stderr, "{}: {}\n", program, what);
  } else {
    fmt::print(stderr, "{}: rank {}: {}\n", program, rank, what);
  }
}

/// Ends all ranks, which may wait for this one in some call. This rank has said why. Returns the
/// exit code where MPI has not begun.
int end_all(int exit_code) {
  Watchdog::say_no_more();
  std::fflush(nullptr);
  int has_begun = 0;
  MPI_Initialized(&has_begun);
  if (has_begun == 0) return exit_code;  // the launcher ends the others
  // Some launchers drop what a rank wrote in the moment before it ends the job.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  return exit_code;
}

/// This says what became of the launch when its ranks came to the end.
enum class Parting { rank_zero_went_on, rank_zero_refused, some_rank_is_missing };

/// Waits for all ranks. If seconds are given, it waits for so many at most.
Parting part(Process& process, bool refuses, std::optional<double> seconds) {
  int& told = process.refused_or_other;
  told = process.rank() != 0 || refuses ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &told, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> patience(seconds.value_or(0));
  for (;;) {
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (done != 0) return told != 0 ? Parting::rank_zero_refused : Parting::rank_zero_went_on;
    if (seconds && std::chrono::steady_clock::now() - begin > patience) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Parting::some_rank_is_missing;
}

/// Prints why bad input is refused, and returns the exit code. Rank 0 speaks for all that refuse
/// the same. A rank that refuses alone speaks for itself, and ends the others, which wait for it.
int refuse(std::string_view program, Process& process, std::string_view error) {
  // Other ranks may refuse the same a little later. This wait has to end before their watchdogs do.
  const double patience = std::min(5.0, process.timeout / 2);
  Watchdog::say_no_more();
  const int rank = process.rank();
  const bool in_mpi = process.environment.has_value();
  const std::string line = text::in_one_line(error);
  if (rank == 0 || !in_mpi) fmt::print(stderr, "{}: {}\n", program, line);
  if (!in_mpi || mpi::rank_model().one_process) return exit_bad_input;
  if (part(process, true, patience) == Parting::rank_zero_refused) return exit_bad_input;
  if (rank != 0) print_line(program, rank, line);
  return end_all(exit_bad_input);
}

}  // namespace

int run_benchmark(const collectives::Collective& collective, int argc, char** argv) {
  const std::string_view program = collective.executable;
  Process process;
  int code = exit_done;
  try {
    code = run_launch(collective, argc, argv, process);
    if (process.environment && !mpi::rank_model().one_process) {
      Watchdog::describe(" while waiting for the other ranks to end");
      if (code != exit_done) Watchdog::say_no_more();
      part(process, false, std::nullopt);
    }
  } catch (const text::InputError& error) {
    code = refuse(program, process, error.what());
  } catch (const std::bad_alloc&) {
    print_line(program, process.rank(), "no memory");
    return end_all(exit_unfinished);
  } catch (const std::exception& error) {
    print_line(program, process.rank(), fmt::format("{}{}", error.what(), Watchdog::suspected()));
    return end_all(exit_unfinished);
  }
  Watchdog::describe(" while ending MPI");
  return code;
}

}  // namespace gatherbench::bench
