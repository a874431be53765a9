// SPDX-License-Identifier: BSD-3-Clause
#include "bench/benchmark.h"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
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

#include "bench/find_model.h"
#include "bench/find_partner.h"
#include "bench/listing.h"
#include "bench/load/congestion.h"
#include "bench/machine/counter_recorder.h"
#include "bench/machine/machine.h"
#include "bench/measure/case_run.h"
#include "bench/measure/launch_warmup.h"
#include "bench/measure/replay_run.h"
#include "bench/native/library_settings.h"
#include "bench/native/selection.h"
#include "bench/options/command_line.h"
#include "bench/options/options.h"
#include "bench/process/mpi_session.h"
#include "bench/process/rank_zero.h"
#include "bench/process/watchdog.h"
#include "bench/results/metadata.h"
#include "bench/results/progress.h"
#include "bench/results/result_file.h"
#include "bench/results/tables.h"
#include "bench/settle_seed.h"
#include "bench/setup/dry_run.h"
#include "bench/setup/setup.h"
#include "formats/text/former_names.h"
#include "formats/text/input_error.h"
#include "formats/text/one_line.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr int exit_done = 0;
constexpr int exit_wrong = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_unfinished = 3;

class Benchmark {
 public:
  Benchmark(Setup setup, ResultFile file, Turns turns, std::optional<CounterRecorder> counters,
            Congestion& congestion)
      : setup_(std::move(setup)),
        file_(std::move(file)),
        resources_(setup_, std::move(turns), congestion),
        world_(congestion.measured()),
        rank_(mpi::rank_of(world_)) {
    resources_.counters = std::move(counters);
    for (const MappedCases& part : setup_.parts) {
      for (const Case& one : part.cases) done_.push_back(file_.is_done(one.key) ? 1 : 0);
    }
    mpi::require(MPI_Bcast(done_.data(), static_cast<int>(done_.size()), MPI_CHAR, 0, world_),
                 "MPI_Bcast");
    finished_before_ = static_cast<std::size_t>(std::ranges::count(done_, 1));
  }

  int run() {
    std::optional<Progress> progress;
    if (rank_ == 0) {
      progress.emplace(asked_progress(), isatty(STDERR_FILENO) == 1, done_.size());
    }
    if (finished_before_ > 0) {
      setup_.notes.push_back(fmt::format("{} of {} cases were finished before: only in {}",
                                         finished_before_, done_.size(), setup_.options.output));
    }
    warm_up_launch(setup_.options, largest_bytes_left(), world_);
    for (const MappedCases& part : setup_.parts) run_part(part, progress);
    resources_.turns.finish();
    if (const std::string load = find_load(world_); !load.empty() && measured_ > 0) {
      file_.add_load(load);
    }
    if (progress) progress->clear();
    if (rank_ == 0 && finished_before_ == done_.size()) {
      fmt::print("# nothing is left to run: {} holds all {} cases\n", setup_.options.output,
                 done_.size());
    }
    return wrong_ > 0 ? exit_wrong : exit_done;
  }

  /// Rank 0's count of wrong results in what an earlier launch measured.
  void add_wrong(int earlier) { wrong_ += earlier; }

 private:
  /// Block size of the largest case that is to run; 0: none is.
  [[nodiscard]] std::int64_t largest_bytes_left() const {
    std::int64_t largest = 0;
    auto done = done_.begin();
    for (const MappedCases& part : setup_.parts) {
      for (const Case& one : part.cases) {
        if (*done++ == 0) largest = std::max(largest, one.key.bytes);
      }
    }
    return largest;
  }

  void run_part(const MappedCases& part, std::optional<Progress>& progress) {
    const mpi::Communicator comm = renumber_ranks(world_, part.order.order);
    const GroupComms comms(part.groups, comm.get());
    make_communicators(setup_.collective, setup_.contenders, comms.own());
    std::optional<Tables> tables;
    std::pair<const distributions::Distribution*, const arrivals::ArrivalPattern*> tabled;
    // Rank 0 of the world prints and writes, so it must be who gets the times.
    for (const Case& one : part.cases) {
      const std::uint32_t number = next_case_++;
      if (done_[number] != 0) continue;
      describe(one);
      resources_.turns.begin_case(number);
      if (progress) progress->show(measured_, finished_before_, title(one));
      const CaseResult result = setup_.replay
                                    ? run_replay(setup_, one, number, resources_, comms)
                                    : run_case(setup_, part, one, number, resources_, comms);
      ++measured_;
      resources_.turns.end_case();  // the partner has it too: both write now
      count_wrong(one, result.algorithms, progress);
      if (rank_ != 0) continue;
      file_.append(one.key, result);
      if (progress) progress->clear();
      const std::pair kind{one.distribution, one.arrival};
      if (tables && tabled != kind) tables->finish();
      if (tabled != kind) tables.emplace(setup_, one);
      tabled = kind;
      tables->add(one, result.algorithms, balanced_);
    }
    if (tables) tables->finish();
  }

  [[nodiscard]] std::optional<bool> asked_progress() const {
    if (!setup_.options.progress && !setup_.options.no_progress) return std::nullopt;
    return setup_.options.progress;
  }

  static std::string title(const Case& one) {
    return fmt::format("{}, {}, arrival {}, {}, {} bytes", one.key.collective, one.key.distribution,
                       one.key.arrival, one.key.mapping, one.key.bytes);
  }

  void describe(const Case& one) const {
    std::string text = fmt::format(" in case {}/{} ({})", next_case_, done_.size(), title(one));
    if (!setup_.options.output.empty()) {
      text += fmt::format("; {} holds the {} finished ones, --resume goes on from there",
                          setup_.options.output, finished_before_ + measured_);
    } else {
      text += "; without --output no case is kept, and a new run begins with the first";
    }
    Watchdog::describe(text);
  }

  void count_wrong(const Case& one, std::span<const AlgorithmResult> results,
                   const std::optional<Progress>& progress) {
    for (const AlgorithmResult& result : results) {
      if (result.status != formats::Status::wrong) continue;
      ++wrong_;
      if (progress) progress->clear();
      if (rank_ == 0) {
        fmt::print(stderr, "{}: WRONG RESULT: {}, {}: {}\n", setup_.collective.executable,
                   result.algorithm, title(one), result.reason);
      }
    }
  }

  Setup setup_;
  ResultFile file_;
  LaunchResources resources_;
  BalancedRuns balanced_;
  MPI_Comm world_;
  int rank_;
  std::vector<char> done_;  // by case, over all parts
  std::size_t finished_before_ = 0;
  std::size_t measured_ = 0;
  std::uint32_t next_case_ = 0;
  int wrong_ = 0;
};

/// What the process was started with.
struct Invocation {
  std::vector<std::string> command;
  LibrarySettings library_settings;  ///< before we add our own
};

int run_options(const collectives::Collective& collective, Options options,
                const Invocation& invocation, Congestion& congestion, int rank) {
  const MPI_Comm world = congestion.measured();
  const Seed seed = settle_seed(options, world);
  options.seed = seed.value;
  Setup setup = prepare_setup(collective, options, congestion);
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
  Duet duet = find_partner(setup, seed, metadata, world);
  if (options.size_order == SizeOrder::shuffled) {
    for (MappedCases& part : setup.parts) shuffle_sizes(part.cases, setup.options.seed.value());
  }
  const auto add = [&](const formats::Metadata& more) {
    std::ranges::copy(more, std::back_inserter(metadata));
  };
  metadata.emplace_back("library_settings", describe_library_settings(invocation.library_settings));
  add(describe_circumstances(invocation.command, setup.nodes, collective));
  add(find_machine(setup.nodes, world));
  if (std::string load = find_load(world); !load.empty()) {
    metadata.emplace_back("load_start", std::move(load));
  }
  if (const std::string chosen = find_choice_at_start(collective, options.algorithms);
      !chosen.empty()) {
    metadata.emplace_back("chosen_at_start", chosen);
  }
  if (counters && !counters->left_out().empty()) {
    metadata.emplace_back("counters_left_out", counters->left_out());
  }
  add(duet.metadata);
  add(find_model(setup, metadata, world));
  ResultFile file;
  on_rank_zero(world, [&] {
    if (!options.output.empty()) {
      file = ResultFile(options.output, metadata, options.resume, options.recorded, duet.max_cases);
    }
    return std::string();
  });
  const int wrong_before = file.wrong_before();
  duet.turns.start();  // from here on all is done in turns
  Benchmark benchmark(std::move(setup), std::move(file), std::move(duet.turns), std::move(counters),
                      congestion);
  benchmark.add_wrong(wrong_before);
  return benchmark.run();
}

}  // namespace

int run_benchmark(const collectives::Collective& collective, int argc, char** argv) {
  const Invocation invocation{{argv, argv + argc}, settings_in_environment()};
  const std::string_view program = collective.executable;
  const std::variant<Options, Ending> parsed = parse_options(collective, argc, argv);
  const Options* const options = std::get_if<Options>(&parsed);
  if (options != nullptr) prepare_native_variants(collective, options->algorithms);
  // A full disk or a size limit is an error of write(), not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);

  // More than is needed would cost all algorithms time.
  const bool threads = options != nullptr && !options->replay.is_asked() &&
                       any_has_helper_thread(options->algorithms, options->prediction.from);
  const Session session(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  if (const Ending* const ending = std::get_if<Ending>(&parsed)) {
    std::FILE* const stream = ending->exit_code == 0 ? stdout : stderr;
    if (session.rank() == 0) fmt::print(stream, "{}", ending->text);
    return ending->exit_code;
  }
  if (session.rank() == 0) {
    for (const std::string& notice : text::former_name_notices()) {
      fmt::print(stderr, "{}: {}\n", program, notice);
    }
  }
  try {
    const Watchdog watchdog(program, session.rank(), options->timeout);
    if (options->list) {
      const std::string text = make_listing(collective);  // asks the library, on every rank alike
      if (session.rank() == 0) fmt::print("{}", text);
      return exit_done;
    }
    constexpr std::string_view option = "--congest";
    Congestion congestion(option, parse_congestion(option, options->congest), MPI_COMM_WORLD);
    if (!congestion.congests()) {
      return run_options(collective, *options, invocation, congestion, session.rank());
    }
    congestion.serve();
    return exit_done;
  } catch (const text::InputError& error) {
    if (session.rank() == 0) {
      fmt::print(stderr, "{}: {}\n", program, text::in_one_line(error.what()));
    }
    return exit_bad_input;
  } catch (const std::exception& error) {
    // One rank alone is here; the others wait for it in some call.
    fmt::print(stderr, "{}: rank {}: {}\n", program, session.rank(), error.what());
    std::fflush(nullptr);
    // Some launchers drop what a rank wrote in the moment before it ends the job.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, exit_unfinished);
    return exit_unfinished;
  }
}

}  // namespace gatherbench::bench
