// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/json_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gatherbench::allgather_schedule {
namespace {

using Json = nlohmann::ordered_json;

std::string rows_of(const Json& list) {
  std::string text = "[";
  std::string_view separator = "\n";
  for (const Json& row : list) {
    text += separator;
    text += row.dump();
    separator = ",\n";
  }
  return text + "\n]";
}

/// Returns the object's text without the bracket at its end.
std::string fields_of(const Json& object) {
  std::string text = "{";
  std::string_view separator = "\n";
  for (const auto& [key, value] : object.items()) {
    const bool has_rows = value.is_array() && !value.empty() && value.front().is_structured();
    text += fmt::format("{}{}: {}", separator, Json(key).dump(),
                        has_rows ? rows_of(value) : value.dump());
    separator = ",\n";
  }
  return text;
}

}  // namespace

std::string json_with_rows(const Json& object) { return fields_of(object) + "\n}\n"; }

std::string json_with_rows(const Json& object, std::string_view key, std::string_view rows) {
  std::string text = fields_of(object);
  text += fmt::format(",\n{}: [\n", Json(key).dump());
  text += rows;
  return text + "\n]\n}\n";
}

}  // namespace gatherbench::allgather_schedule
