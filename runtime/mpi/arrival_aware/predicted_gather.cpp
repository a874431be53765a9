// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/arrival_aware/predicted_gather.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/mpi/global_clock.h"

namespace gatherbench::mpi {
namespace {

std::int64_t background_bytes(const LoweredSchedule& lowered) {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < lowered.background_steps(); ++s) {
    for (const Message& message : lowered.step(s).receives) {
      for (const Piece& piece : message.pieces) bytes += piece.bytes;
    }
  }
  return bytes;
}

}  // namespace

PredictedGather::PredictedGather(GatherTask task, Communicator comm)
    : task_(std::move(task)),
      comm_(std::move(comm)),
      rank_(comm_.rank()),
      block_bytes_(task_.layout.block_bytes()) {
  estimates_ = std::make_unique<std::vector<Estimate>>(static_cast<std::size_t>(comm_.size()));
}

PredictedGather::~PredictedGather() {
  if (stage_ == Stage::idle) return;
  // Others may have sent what nobody takes any more. Were the communicator freed, the library could
  // give its number to another one, which would then get these messages.
  comm_.release();
  if (stage_ == Stage::planned) plan_->abandon();
  if (stage_ != Stage::exchanging) return;
  constexpr std::int64_t patience_ns = 1'000'000'000;
  const std::int64_t start = steady_ns();
  int done = 0;
  while (MPI_Test(&exchange_, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0 &&
         steady_ns() - start < patience_ns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (done != 0) return;
  // MPI has no way to cancel the exchange, so the memory that it may still write to is never freed.
  static_cast<void>(estimates_.release());
}

void PredictedGather::start(const Estimate& estimate) {
  (*estimates_)[static_cast<std::size_t>(rank_)] = estimate;
  stage_ = Stage::to_exchange;
}

void PredictedGather::exchange() {
  constexpr int numbers = 3;
  static_assert(sizeof(Estimate) == numbers * sizeof(std::int64_t));
  require(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, estimates_->data(), numbers,
                         MPI_INT64_T, comm_.get(), &exchange_),
          "MPI_Iallgather");
  stage_ = Stage::exchanging;
}

/// Returns how close two arrivals have to be to count as one. In less than half a message nothing
/// can be moved ahead, and ranks that arrive together are not predicted to do so more precisely
/// than the worst of them is predicted.
std::int64_t PredictedGather::resolution_ns() const {
  const auto half_message = static_cast<std::int64_t>(task_.message_us * 1000 / 2);
  return std::max(half_message, std::ranges::max(*estimates_, {}, &Estimate::error_ns).error_ns);
}

/// Returns each rank's arrival after the first one's; the numbers are the same on every rank.
std::vector<double> PredictedGather::arrivals_us() const {
  // Nobody can begin before all ranks have told their arrivals, even a rank that is there.
  const std::int64_t told_ns = std::ranges::max(*estimates_, {}, &Estimate::now_ns).now_ns;
  std::vector<std::int64_t> arrivals_ns;
  for (const Estimate& one : *estimates_) arrivals_ns.push_back(std::max(one.arrival_ns, told_ns));
  const auto [first, last] = std::ranges::minmax(arrivals_ns);
  std::vector<double> arrivals_us(arrivals_ns.size(), 0);
  if (last - first < resolution_ns()) return arrivals_us;
  std::ranges::transform(arrivals_ns, arrivals_us.begin(), [earliest = first](std::int64_t ns) {
    return static_cast<double>(ns - earliest) / 1000;
  });
  return arrivals_us;
}

void PredictedGather::make_plan() {
  figures_.exchanged_ns = steady_ns();
  const std::vector<double> arrival_us = arrivals_us();
  algorithms::Problem problem = algorithms::problem_for(task_.choice, comm_.size());
  problem.rank = rank_;
  problem.root = task_.root;
  problem.element_bytes = std::max(task_.reduction.element_bytes, task_.layout.element().bytes);
  problem.block_bytes = block_bytes_;
  problem.arrival_us = arrival_us;
  problem.message_us = task_.message_us;  // as chosen, given or measured
  problem.start_us = task_.start_us;
  if (task_.exits_us) problem.exits_us = &task_.exits_us;
  const LoweredSchedule lowered(
      algorithms::make_schedule(*task_.choice.algorithm, problem), task_.layout,
      part_of(*task_.choice.algorithm->kind, rank_, problem.ranks, task_.root),
      task_.send == nullptr, task_.form);
  plan_.emplace(lowered, task_.send, task_.receive, comm_.get(), Memory::own, task_.reduction);
  figures_.background_steps = plan_->background_steps();
  figures_.background_bytes = background_bytes(lowered);
  figures_.resolution_us = static_cast<double>(resolution_ns()) / 1000;
  figures_.schedule_us = static_cast<double>(steady_ns() - figures_.exchanged_ns) / 1000;
  stage_ = Stage::planned;
}

Advance PredictedGather::advance() {
  switch (stage_) {
    case Stage::idle:
      return Advance::done;
    case Stage::to_exchange:
      exchange();
      return Advance::moved;
    case Stage::exchanging: {
      int done = 0;
      require(MPI_Test(&exchange_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return Advance::idle;
      make_plan();
      return Advance::moved;
    }
    case Stage::planned:
      return plan_->advance();
  }
  return Advance::done;
}

void PredictedGather::run() {
  if (stage_ == Stage::to_exchange) exchange();
  if (stage_ == Stage::exchanging) {
    require(MPI_Wait(&exchange_, MPI_STATUS_IGNORE), "MPI_Wait");
    make_plan();
  }
  plan_->run();
  stage_ = Stage::idle;
}

}  // namespace gatherbench::mpi
