// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/models.h"
#include "algorithms/cost/shared_links.h"
#include "algorithms/placement.h"
#include "runtime/policies/policy.h"

namespace gatherbench::policies {

/// A model of what algorithms take, asked before the first call: a start-up for each step, and the
/// bytes of each step over the most loaded link. Links are those of the switch tree. Without one,
/// every node has a link to a switch that is never full; if all ranks are on one node, every rank
/// has one.
///
/// The model computes in floating point, so let one rank ask and tell the others.
class ModelPrior {
 public:
  /// Beyond, nothing is expected: the schedules of all ranks would take too much of a program's
  /// memory and time.
  static constexpr int most_ranks = 1024;
  /// Cost of each further message of a step, as a part of a start-up. Start-ups of one step
  /// overlap, but the processor has to begin each: the number is an assumption, between none and
  /// all.
  static constexpr double further_message = 0.25;

  /// The choices can run with these ranks. alpha: seconds of a message without bytes; bandwidth:
  /// bytes a second of a link.
  ModelPrior(std::vector<algorithms::Choice> choices, algorithms::Placement placement, int ranks,
             const cost::ContentionModel& model);

  /// Returns the candidates, in the order of the choices, with the time that a call with these
  /// blocks is expected to take; one size is that of all. `native` has no expected time, nor has an
  /// algorithm that goes by a window.
  std::vector<Candidate> candidates(
      std::span<const std::int64_t> block_bytes,
      const collectives::Collective& collective = collectives::allgather);

 private:
  std::int64_t expected_ns(std::size_t choice, std::span<const std::int64_t> block_bytes);

  std::vector<algorithms::Choice> choices_;
  algorithms::Placement placement_;
  int ranks_;
  cost::ContentionModel model_;
  std::unique_ptr<topology::Network> ports_;  // in place of a switch tree
  std::vector<int> port_;                     // of every rank
  // The loads of blocks of one byte each, for every choice whose schedule does not depend on their
  // size.
  std::vector<std::optional<cost::SharedLinks>> of_one_byte_;
};

}  // namespace gatherbench::policies
