// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/adaptive.h"

#include <algorithm>
#include <utility>

#include "runtime/mpi/handles.h"
#include "runtime/selection/agreement.h"

namespace gatherbench::bench {

Adaptive::Adaptive(selection::Candidates candidates, std::unique_ptr<policies::Policy> policy,
                   Prepare prepare, const Ranks& ranks)
    : candidates_(std::move(candidates)),
      policy_(std::move(policy)),
      prepare_(std::move(prepare)),
      ranks_(ranks),
      size_(mpi::size_of(ranks.comm)),
      calls_(candidates_.choices.size()),
      base_ns_(ranks.clock->global_ns(mpi::steady_ns())) {
  mpi::require(MPI_Bcast(&base_ns_, 1, MPI_INT64_T, 0, ranks_.comm), "MPI_Bcast");
  begin(policy_->next({}));
}

void Adaptive::run() {
  chosen_ = progress_.candidate();
  const bool is_timed = progress_.is_timed();
  const std::int64_t arrival_ns = is_timed ? mpi::steady_ns() : 0;
  calls_[chosen_]->run();
  const std::int64_t exit_ns = is_timed ? mpi::steady_ns() : 0;
  progress_.add(
      {ranks_.clock->global_ns(arrival_ns), ranks_.clock->global_ns(exit_ns), ranks_.all_wait});
  if (progress_.is_done()) agree();
}

void Adaptive::agree() {
  const std::int64_t start_ns = mpi::steady_ns();
  std::vector<std::int64_t> times_ns;
  if (!progress_.taken().empty()) {
    selection::Agreed agreed = selection::agree_on_times(ranks_.comm, size_, *ranks_.clock,
                                                         {.taken = progress_.taken(),
                                                          .base_ns = base_ns_,
                                                          .former_ns = agreement_ns_,
                                                          .of_slowest = ranks_.of_slowest});
    if (has_agreed_) policy_->count_agreement(agreed.former_ns);
    has_agreed_ = true;
    base_ns_ = agreed.last_arrival_ns;
    times_ns = std::move(agreed.times_ns);
  }
  begin(policy_->next(times_ns));
  agreement_ns_ = mpi::steady_ns() - start_ns;
}

void Adaptive::begin(policies::CallPlan call_plan) {
  for (const policies::Phase& phase : call_plan) {
    std::unique_ptr<PreparedCall>& call = calls_[phase.candidate];
    if (call != nullptr) continue;
    call = prepare_(candidates_.choices[phase.candidate]);
    if (receive_ != nullptr) call->use_buffers(send_, receive_);
  }
  progress_.begin(std::move(call_plan));
}

void Adaptive::use_buffers(const std::byte* send, std::byte* receive) {
  send_ = send;
  receive_ = receive;
  for (const std::unique_ptr<PreparedCall>& call : calls_) {
    if (call != nullptr) call->use_buffers(send, receive);
  }
}

std::string_view Adaptive::chosen() const { return candidates_.expected[chosen_].name; }

}  // namespace gatherbench::bench
