// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/host/counters.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// By how much each counter of either reading rose, in their order. One that went backwards, and
/// does not tell where it begins again, came or went in between has a reason instead. Cards that
/// have never carried anything are left out.
std::vector<formats::CounterChange> find_changes(const Reading& before, const Reading& after);

/// As lines, and back.
std::string text_of(const std::vector<formats::CounterChange>& changes);
std::vector<formats::CounterChange> changes_in(std::string_view text);

}  // namespace gatherbench::bench
