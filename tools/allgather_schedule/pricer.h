// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/cost/cost.h"
#include "algorithms/cost/shared_links.h"
#include "algorithms/placement.h"
#include "tools/allgather_schedule/common/nodes.h"
#include "tools/allgather_schedule/cost_model.h"

// The costs of an algorithm by a model.
namespace gatherbench::allgather_schedule {

/// The placement of some ranks, as the model wants it.
struct Setting {
  int ranks;
  std::optional<RanksOnNodes> nodes;  ///< none: the options say nothing of them
  algorithms::Placement placement;
};

/// The cost of any blocks, from one summation where they are equal and stay whole.
class Pricer {
 public:
  /// All of them outlive it.
  Pricer(const algorithms::Choice& choice, const Setting& setting, const CostModel& model)
      : choice_(choice), setting_(setting), model_(model) {}

  /// Returns why these blocks have no cost; none if they have one.
  [[nodiscard]] std::optional<std::string> why_not_priced(
      const std::vector<std::int64_t>& blocks) const;
  /// Returns the cost, in the model's unit.
  [[nodiscard]] double cost_of(const std::vector<std::int64_t>& blocks);

 private:
  [[nodiscard]] bool copies() const { return choice_.via == algorithms::Via::window; }
  [[nodiscard]] algorithms::Problem problem_of(const std::vector<std::int64_t>& blocks) const;
  /// No blocks: of 1 byte each.
  void sum(const std::vector<std::int64_t>& blocks);

  const algorithms::Choice& choice_;
  const Setting& setting_;
  const CostModel& model_;
  bool summed_ = false;
  std::vector<cost::PortUse> uses_;
  cost::SharedLinks shared_;
  std::int64_t bytes_ = 0;
};

}  // namespace gatherbench::allgather_schedule
