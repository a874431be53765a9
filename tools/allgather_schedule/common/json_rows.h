// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gatherbench::allgather_schedule {

/// An object as JSON, each of whose lists of objects or lists has a line a row: what changes in one row
/// changes one line.
std::string json_with_rows(const nlohmann::ordered_json& object);

}  // namespace gatherbench::allgather_schedule
