// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/plan.h"

#include <utility>

namespace gatherbench::mpi {

Plan::Plan(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive, MPI_Comm comm,
           Memory memory, const Reduction& reduction, std::shared_ptr<NodeWindow> window)
    : schedule_(comm, memory, reduction, std::move(window)) {
  bind(lowered, send, receive);
}

void Plan::bind(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive) {
  schedule_.bind(lowered, send, receive);
  blocking_.prepare(schedule_);
  background_.prepare(schedule_);
  stepwise_.prepare(schedule_);
}

void Plan::abandon() noexcept {
  if (!background_.abandon(schedule_)) schedule_.keep_buffers();
}

}  // namespace gatherbench::mpi
