// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gatherbench::allgather_schedule {

/// An object as JSON, each of whose lists of objects or lists has a line a row: what changes in one
/// row changes one line.
std::string json_with_rows(const nlohmann::ordered_json& object);
/// The same, and at its end a list of rows that are JSON already: of what there is much of, no
/// values are kept.
std::string json_with_rows(const nlohmann::ordered_json& object, std::string_view key,
                           std::string_view rows);

}  // namespace gatherbench::allgather_schedule
