// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "algorithms/cost/contention_model.h"
#include "algorithms/cost/hockney.h"
#include "algorithms/cost/host_memory.h"

// The models of `cost --model`.
namespace gatherbench::allgather_schedule {

/// A model, as --model has it. One of the last two members is true where there are no parameters.
struct CostModel {
  std::string_view name;
  std::string_view unit;
  std::optional<cost::Hockney> hockney = {};
  std::optional<cost::ContentionModel> contention = {};
  std::optional<cost::HostWindow> window = {};  ///< beside one of these
  bool is_links = false;
  bool is_hops = false;

  [[nodiscard]] bool needs_network() const { return contention || is_links; }
  /// True if the model's cost is a time.
  [[nodiscard]] bool is_time() const { return hockney || contention; }
};

/// Parses the text behind --model. Throws InputError.
[[nodiscard]] CostModel parse_cost_model(std::string_view text);

}  // namespace gatherbench::allgather_schedule
