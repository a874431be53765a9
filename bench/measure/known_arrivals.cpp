// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/known_arrivals.h"

#include <algorithm>
#include <utility>

#include "bench/plan/contenders.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

KnownArrivals::KnownArrivals(KnownArrivalsTask task, MPI_Comm comm)
    : task_(std::move(task)),
      comm_(comm),
      block_bytes_(task_.layout),
      arrival_us_(static_cast<std::size_t>(mpi::size_of(comm)), 0) {
  make_plan();
}

void KnownArrivals::expect(std::span<const double> arrival_us) {
  last_.was_predicted = true;
  last_.schedule_us = 0;
  is_made_ = is_made_ && std::ranges::equal(arrival_us, arrival_us_);
  arrival_us_.assign(arrival_us.begin(), arrival_us.end());
  if (!is_made_ && !task_.charge_schedule) make_plan();
}

void KnownArrivals::arrived(double us) {
  last_.error_us = arrival_us_[static_cast<std::size_t>(mpi::rank_of(comm_))] - us;
}

void KnownArrivals::make_plan() {
  const std::int64_t start = mpi::steady_ns();
  algorithms::Problem problem =
      make_problem(task_.choice, task_.placement, block_bytes_, mpi::rank_of(comm_),
                   static_cast<int>(arrival_us_.size()));
  problem.arrival_us = arrival_us_;
  if (algorithms::needs_message_time(task_.choice)) problem.message_us = task_.message_us;
  if (algorithms::needs_start_time(task_.choice)) problem.start_us = task_.start_us;
  lowered_.emplace(algorithms::make_schedule(*task_.choice.algorithm, problem), task_.layout,
                   task_.part, task_.send == nullptr, task_.form);
  if (plan_) {
    plan_->bind(*lowered_, task_.send, task_.receive);
  } else {
    plan_.emplace(*lowered_, task_.send, task_.receive, comm_, task_.memory, task_.reduction,
                  mpi::make_window(task_.choice.via, comm_, task_.placement.node, task_.shared));
  }
  is_made_ = true;
  last_.schedule_us = static_cast<double>(mpi::steady_ns() - start) / 1000;
}

void KnownArrivals::run() {
  if (task_.charge_schedule) make_plan();
  plan_->run();
}

void KnownArrivals::use_buffers(const std::byte* send, std::byte* receive) {
  task_.send = send;
  task_.receive = receive;
  plan_->bind(*lowered_, send, receive);
}

}  // namespace gatherbench::bench
