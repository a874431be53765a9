// SPDX-License-Identifier: BSD-3-Clause
#include "bench/case_loop.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "bench/host/machine.h"
#include "bench/host/watchdog.h"
#include "bench/measure/launch_warmup.h"
#include "bench/measure/replay_run.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

std::string title(const Case& one) {
  return fmt::format("{}, {}, arrival {}, {}, {} bytes", one.key.collective, one.key.distribution,
                     one.key.arrival, one.key.mapping, one.key.bytes);
}

bool is_of_one_table(const Case& one, const Case& other) {
  return one.distribution == other.distribution && one.arrival == other.arrival;
}

}  // namespace

CaseLoop::CaseLoop(Setup setup, ResultFile file, Turns turns,
                   std::optional<CounterRecorder> counters, Congestion& congestion)
    : setup_(std::move(setup)),
      file_(std::move(file)),
      resources_(setup_, std::move(turns), congestion),
      world_(congestion.measured()),
      rank_(mpi::rank_of(world_)),
      wrong_(file_.wrong_before()) {
  resources_.counters = std::move(counters);
  for (const MappedCases& part : setup_.parts) {
    for (const Case& one : part.cases) done_.push_back(file_.is_done(one.key) ? 1 : 0);
  }
  mpi::require(MPI_Bcast(done_.data(), static_cast<int>(done_.size()), MPI_CHAR, 0, world_),
               "MPI_Bcast");
  finished_before_ = static_cast<std::size_t>(std::ranges::count(done_, 1));
}

void CaseLoop::run() {
  std::optional<Progress> progress;
  if (rank_ == 0) {
    progress.emplace(asked_progress(), isatty(STDERR_FILENO) == 1, done_.size());
  }
  if (finished_before_ > 0) {
    setup_.notes.push_back(fmt::format("{} of {} cases were finished before: only in {}",
                                       finished_before_, done_.size(), setup_.options.output));
  }
  Watchdog::describe(" while warming up");
  warm_up_launch(setup_.options, largest_bytes_left(), world_);
  if (progress) resources_.tell = [&](std::string_view part) { progress->show_part(part); };
  for (const MappedCases& part : setup_.parts) run_part(part, progress);
  resources_.tell = {};
  Watchdog::describe(" after the last case");
  resources_.turns.finish();
  if (const std::string load = find_load(world_); !load.empty() && measured_ > 0) {
    file_.add_load(load);
  }
  if (progress) progress->clear();
  if (rank_ == 0 && finished_before_ == done_.size()) {
    fmt::print("# nothing is left to run: {} holds all {} cases\n", setup_.options.output,
               done_.size());
  }
}

/// Returns the block size, in bytes, of the largest case that is still to run; 0 if none is.
std::int64_t CaseLoop::largest_bytes_left() const {
  std::int64_t largest = 0;
  auto done = done_.begin();
  for (const MappedCases& part : setup_.parts) {
    for (const Case& one : part.cases) {
      if (*done++ == 0) largest = std::max(largest, one.key.bytes);
    }
  }
  return largest;
}

void CaseLoop::run_part(const MappedCases& part, std::optional<Progress>& progress) {
  // Rank 0 stays rank 0: it prints and writes, so it has to be the one that gets the times.
  const mpi::Communicator comm = renumber_ranks(world_, part.order.order);
  const GroupComms comms(part.groups, comm.get());
  make_communicators(*setup_.options.collective, setup_.contenders, comms.own());
  std::optional<Tables> tables;
  const Case* last = nullptr;
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
    if (last == nullptr || !is_of_one_table(*last, one)) {
      if (tables) tables->finish();
      tables.emplace(setup_, one);
    }
    last = &one;
    tables->add(one, result.algorithms, balanced_);
  }
  if (tables) tables->finish();
}

std::optional<bool> CaseLoop::asked_progress() const {
  if (!setup_.options.progress && !setup_.options.no_progress) return std::nullopt;
  return setup_.options.progress;
}

void CaseLoop::describe(const Case& one) const {
  std::string text = fmt::format(" in case {}/{} ({})", next_case_, done_.size(), title(one));
  if (!setup_.options.output.empty()) {
    text += fmt::format("; {} holds the {} finished ones, --resume goes on from there",
                        setup_.options.output, finished_before_ + measured_);
  } else {
    text += "; without --output no case is kept, and a new run begins with the first";
  }
  Watchdog::describe(text);
}

void CaseLoop::count_wrong(const Case& one, std::span<const AlgorithmResult> results,
                           const std::optional<Progress>& progress) {
  for (const AlgorithmResult& result : results) {
    if (result.status != formats::Status::wrong) continue;
    ++wrong_;
    if (progress) progress->clear();
    if (rank_ == 0) {
      fmt::print(stderr, "{}: WRONG RESULT: {}, {}: {}\n", setup_.options.collective->executable,
                 result.algorithm, title(one), result.reason);
    }
  }
}

}  // namespace gatherbench::bench
