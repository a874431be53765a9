// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/measure/prepared_call.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/candidates.h"
#include "runtime/selection/progress.h"

namespace gatherbench::bench {

/// The contender that chooses among algorithms by the times of its own calls: a policy, with what
/// it chooses from. Its calls hold all that a choice costs a program: preparing what is tried, and
/// agreeing on the times, of which the ranks hear each other's when a call plan is done. All calls
/// count, those before the first timed one too.
class Adaptive final : public PreparedCall {
 public:
  struct Ranks {
    MPI_Comm comm;
    const mpi::GlobalClock* clock;  ///< of these ranks
    bool all_wait;                  ///< no rank leaves before all have come
    bool of_slowest;                ///< a call takes as long as on its slowest rank
  };
  using Prepare = std::function<std::unique_ptr<PreparedCall>(const algorithms::Choice&)>;

  /// `prepare` makes calls for the buffers of the first call. Everything that the arguments point
  /// to must outlive this.
  Adaptive(selection::Candidates candidates, std::unique_ptr<policies::Policy> policy,
           Prepare prepare, const Ranks& ranks);

  void run() override;
  void use_buffers(const std::byte* send, std::byte* receive) override;
  [[nodiscard]] std::string_view chosen() const override;

 private:
  void agree();
  void begin(policies::CallPlan call_plan);

  selection::Candidates candidates_;
  std::unique_ptr<policies::Policy> policy_;
  Prepare prepare_;
  Ranks ranks_;
  int size_;
  std::vector<std::unique_ptr<PreparedCall>> calls_;  // of the candidates; null: not yet
  const std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;  // null: the buffers of the first call
  selection::Progress progress_;
  std::size_t chosen_ = 0;
  std::int64_t base_ns_;
  bool has_agreed_ = false;
  std::int64_t agreement_ns_ = 0;  // what the last one took, on this rank
};

}  // namespace gatherbench::bench
