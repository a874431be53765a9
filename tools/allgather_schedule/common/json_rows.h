// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gatherbench::allgather_schedule {

/// Returns an object as JSON. Its lists of objects or of lists have a line a row, so that a change
/// of one row changes one line.
std::string json_with_rows(const nlohmann::ordered_json& object);
/// Returns the same with a list at its end, whose rows are JSON already: a long list need not be
/// kept as values.
std::string json_with_rows(const nlohmann::ordered_json& object, std::string_view key,
                           std::string_view rows);

}  // namespace gatherbench::allgather_schedule
