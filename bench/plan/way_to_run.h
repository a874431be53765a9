// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/placement.h"
#include "bench/plan/cases.h"
#include "distributions/arrivals/prediction.h"
#include "runtime/mpi/plans/layout.h"

// Each way to run an algorithm (algorithms::How) has here what depends on it.
namespace gatherbench::bench {

/// The way in which a launch calls its contenders.
enum class CallUse {
  whole,        ///< call by call
  in_parts,     ///< each call is begun and waited for apart
  in_sequence,  ///< an iteration has many calls, on several communicators
};

constexpr std::string_view policy_option = "--algorithms adaptive:policy";

/// Bytes of a case on the rank that has most.
struct CaseBytes {
  std::int64_t before;   ///< what it sends
  std::int64_t passing;  ///< what it takes in only to pass it on
  std::int64_t held;     ///< all that it ever holds
  std::int64_t packed;   ///< where it packs what it sends and receives in a step
  bool combines;
};

class WayToRun {
 public:
  WayToRun() = default;
  WayToRun(const WayToRun&) = delete;
  WayToRun& operator=(const WayToRun&) = delete;
  virtual ~WayToRun() = default;

  /// Returns why it cannot be called like this in any case; none if it can.
  [[nodiscard]] virtual std::optional<std::string> why_not_in(
      const collectives::Collective& collective, arrivals::Predictor from, CallUse use) const = 0;
  /// Returns why it cannot run the case, of whose blocks `layout` is; none if it can.
  [[nodiscard]] virtual std::optional<std::string> why_not(
      const Case& the_case, const mpi::Layout& layout,
      const algorithms::Placement& placement) const = 0;
  /// Returns the bytes of the buffers that it needs besides the send and the receive buffer.
  [[nodiscard]] virtual std::int64_t extra_bytes(const CaseBytes& bytes) const = 0;
  /// Returns why nobody can tell the times of its steps; none if it runs the same steps of our own
  /// in each call (PreparedCall::plan).
  [[nodiscard]] virtual std::optional<std::string> why_no_steps(arrivals::Predictor from) const = 0;
};

/// Returns how the choice, which must outlive the result, runs.
std::unique_ptr<const WayToRun> way_to_run(const algorithms::Choice& choice);

/// The sizes of all blocks, as a problem is told them, which they must outlive.
class BlockBytes {
 public:
  explicit BlockBytes(const mpi::Layout& layout)
      : of_each_(layout.is_equal() ? std::vector<std::int64_t>() : layout.block_bytes()),
        equal_(layout.bytes_each()) {}

  void tell(algorithms::Problem& problem) const {
    problem.block_bytes = of_each_;
    if (of_each_.empty()) problem.equal_bytes = equal_;
  }

 private:
  std::vector<std::int64_t> of_each_;  // empty: they are equal
  std::int64_t equal_;
};

/// Returns the problem that a rank's schedule of the algorithm solves. The sizes, which are of all
/// blocks, must outlive it.
algorithms::Problem make_problem(const algorithms::Choice& choice,
                                 const algorithms::Placement& placement,
                                 const BlockBytes& block_bytes, int rank, int ranks);

/// Returns the policy of a choice that selects, as policies::make_policy() takes it.
std::string_view policy_of(const algorithms::Choice& choice);

/// Returns whether a helper thread watches the computation and exchanges what it predicts. An
/// all-gather always has it, since it can begin one; a reduction only where nothing else predicts.
bool has_helper_thread(const algorithms::Algorithm& algorithm, arrivals::Predictor from);

}  // namespace gatherbench::bench
