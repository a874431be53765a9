// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/schedule.h"

namespace gatherbench {

/// Who sends which blocks to whom, step by step, as the papers' figures draw it; of one rank, what
/// it sends and receives. `schedules` holds all ranks, in rank order.
std::string show_text(std::string_view algorithm, std::span<const Schedule> schedules,
                      std::optional<int> rank);

/// {"algorithm", "ranks", "schedules": [per rank [per step {"sends": [{"peer", "blocks":
/// [[first, count], ...]}], "receives": [...]}]]}. With `rank`, the list holds that rank alone and
/// "rank" names it.
std::string show_json(std::string_view algorithm, std::span<const Schedule> schedules,
                      std::optional<int> rank);

}  // namespace gatherbench
