// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/schedule.h"

namespace gatherbench {

/// Some ranks' schedules of an algorithm: all of them in rank order, or one.
struct Shown {
  std::string_view algorithm;
  int ranks;
  std::optional<int> rank;  ///< whose schedule it is, if it is one rank's
  std::span<const Schedule> schedules;
};

/// Who sends which blocks to whom, step by step, as the papers' figures draw it; of one rank, what
/// it sends and receives.
std::string show_text(const Shown& shown);

/// {"algorithm", "ranks", "schedules": [per rank [per step {"sends": [{"peer", "blocks":
/// [[first, count], ...]}], "receives": [...]}]]}. For one rank, "rank" names it and the list has
/// one entry.
std::string show_json(const Shown& shown);

}  // namespace gatherbench
