// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "algorithms/proof/proof.h"
#include "algorithms/proof/trials.h"
#include "formats/text/parse.h"
#include "tools/allgather_schedule/commands.h"

namespace gatherbench::allgather_schedule {
namespace {

/// Returns the number of cores that this process may use.
int usable_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // 0: not known
}

/// Calls work(i) for each i below `count`, small ones first, in up to `jobs` threads; returns when
/// all are done. If calls throw, one of the exceptions comes out and the rest of the work is left.
void for_each_in_parallel(std::size_t count, int jobs,
                          const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take_work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      thrown = std::current_exception();
    }
  };
  const std::size_t helpers = std::min(static_cast<std::size_t>(jobs), count);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(take_work);
  take_work();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

// All ranks' schedules and who holds what grow with p^2, or p^3 if there are p^2 blocks: some 3 GB.
constexpr int max_ranks_of_all = 8192;
// Most ranks whose proofs run at the same time; of more ranks there is only one proof at a time.
constexpr int max_ranks_at_once = 1024;
constexpr int max_jobs = 4096;
constexpr int max_faults_told = 3;
// The most numbers of ranks of which each has all its trials; more of them share the trials.
constexpr std::size_t max_with_all_trials = 64;

struct Options {
  std::string ranks;
  AlgorithmOptions algorithms{.list = "all"};
  std::string jobs;
  PlacementOptions placement;
};

/// The options, read.
struct Request {
  std::vector<int> ranks;
  int jobs = 1;
  bool placed = false;  ///< the user says where ranks lie
  std::function<algorithms::Placement(int ranks)> place;
};

/// The result for one algorithm and number of ranks.
struct Proof {
  std::size_t trials = 0;
  bool ran = false;  ///< at least one trial
  std::vector<std::string> faults;
  std::chrono::duration<double> time{};
};

Proof prove(const algorithms::Choice& choice, int ranks, const algorithms::Placement* given,
            bool shares_trials) {
  const auto start = std::chrono::steady_clock::now();
  Proof proof;
  std::vector<proof::Trial> trials = proof::trials(choice, ranks, given);
  proof.trials = trials.size();
  if (shares_trials) trials = proof::drawn(std::move(trials), ranks);
  for (const proof::Trial& trial : trials) {
    // An order renumbers the ranks of a schedule: its fault would be told once more.
    if (trial.choice.order != choice.order && !proof.faults.empty()) continue;
    const algorithms::Problem problem = trial.problem(ranks);
    if (why_not(trial.choice, problem)) continue;
    proof.ran = true;
    const std::string fault = proof::prove(*choice.algorithm, problem).fault;
    if (fault.empty()) continue;
    proof.faults.push_back(fmt::format("{} at p = {}{}{}: {}", choice.label(), ranks,
                                       trial.text.empty() ? "" : ", ", trial.text, fault));
  }
  proof.time = std::chrono::steady_clock::now() - start;
  return proof;
}

/// Makes the proofs, several at once, and returns them in the order of the numbers of ranks.
std::vector<Proof> prove_all(const algorithms::Choice& choice, const Request& request) {
  const std::vector<int>& ranks = request.ranks;
  const bool share_trials = ranks.size() > max_with_all_trials;
  std::vector<std::size_t> largest_first(ranks.size());  // so that no long one is left at the end
  std::iota(largest_first.begin(), largest_first.end(), std::size_t{0});
  std::ranges::stable_sort(largest_first, std::ranges::greater{},
                           [&](std::size_t i) { return ranks[i]; });
  std::vector<Proof> proofs(ranks.size());
  std::mutex memory;
  for_each_in_parallel(ranks.size(), request.jobs, [&](std::size_t i) {
    const std::size_t place = largest_first[i];
    const int p = ranks[place];
    std::unique_lock alone(memory, std::defer_lock);
    if (p > max_ranks_at_once) alone.lock();
    std::optional<algorithms::Placement> given;
    if (request.placed) given = request.place(p);
    proofs[place] = prove(choice, p, given ? &*given : nullptr, share_trials);
  });
  return proofs;
}

/// Prints one row of the table, and the first faults; returns true if there is no fault.
bool prove_row(const algorithms::Choice& choice, const Request& request) {
  int proven = 0;   // numbers of ranks
  int skipped = 0;  // numbers of ranks at which it cannot run at all
  int faults = 0;
  std::size_t max_trials = 0;
  double seconds = 0;
  for (const Proof& proof : prove_all(choice, request)) {
    proven += proof.ran && proof.faults.empty() ? 1 : 0;
    skipped += proof.ran ? 0 : 1;
    max_trials = std::max(max_trials, proof.trials);
    seconds += proof.time.count();
    for (const std::string& fault : proof.faults) {
      if (++faults <= max_faults_told) fmt::print(stderr, "FAULT: {}\n", fault);
    }
  }
  const std::string verdict = faults > 0    ? fmt::format("{} FAULTY", faults)
                              : proven == 0 ? "no p to prove"
                                            : "proven";
  const algorithms::Algorithm& row = *choice.algorithm;
  fmt::print("{:<23} {:>7} {:>8} {:>7}  {:>8.2f}  {:<14} {}; {}; {}; {}\n", choice.label(), proven,
             skipped, max_trials, seconds, verdict, algorithms::needs_text(row), row.steps->text,
             row.messages->text, row.bytes->text);
  return faults == 0;
}

/// Lets memory that is dropped stay with the process: the schedules of all ranks are made and
/// dropped for each trial, and getting memory anew from the system takes as long as some proofs.
void keep_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
}

int run(const Options& options) {
  const int max_ranks = options.algorithms.most_ranks(max_ranks_of_all, max_blocks_proven);
  Request request;
  request.ranks = text::parse_ranks("--ranks", options.ranks, max_ranks);
  request.jobs = options.jobs.empty()
                     ? usable_cores()
                     : static_cast<int>(text::parse_integer("--jobs", options.jobs, 1, max_jobs));
  const auto choices = options.algorithms.unproven();
  request.placed = options.placement.given();
  request.place = [machine = options.placement.read()](int p) { return machine.place(p); };
  // Bad input is told before the table begins: where most ranks have a place, fewer have.
  if (request.placed) (void)request.place(std::ranges::max(request.ranks));
  fmt::print("{:<23} {:>7} {:>8} {:>7}  {:>8}  {:<14} {}\n", "algorithm", "proven", "skipped",
             "ways", "seconds", "verdict", "needs; steps; messages of all ranks; bytes");
  keep_memory();
  bool good = true;
  for (const algorithms::Choice& choice : choices) good = prove_row(choice, request) && good;
  return good ? 0 : 1;
}

}  // namespace

Command add_prove_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "prove", "Prove algorithms for numbers of ranks; exit code 1 if one is faulty");
  const auto options = std::make_shared<Options>();
  command.add("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8").required();
  options->algorithms.add_to(command);
  command.add("--jobs", options->jobs, "Proofs at the same time; else one for each core");
  options->placement.add_to(command);
  command.set_example("allgather_schedule prove --algorithms ring,bruck --ranks 1:64");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
