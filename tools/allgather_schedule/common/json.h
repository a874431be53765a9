// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// JSON as text, laid out as Python's json.dumps(value, indent=2, ensure_ascii=False) does. Values
// are texts themselves: what one of these functions returned, or a number.
namespace gatherbench::allgather_schedule::json {

std::string text(std::string_view value);
/// A list of one text, or of none if it is empty.
std::string texts(std::string_view only);
std::string boolean(bool value);
/// An integer without a point.
std::string number(double value);
std::string array(const std::vector<std::string>& values);
std::string object(std::initializer_list<std::pair<std::string_view, std::string>> fields);

inline constexpr std::string_view null = "null";

}  // namespace gatherbench::allgather_schedule::json
