// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::text {

/// A value of a YAML file, with the line of its key, or of its beginning if it has none.
struct Yaml {
  enum class Kind { scalar, list, map };

  int line = 0;
  Kind kind = Kind::scalar;
  std::string key;             ///< in the map that it is a value of
  std::string value;           ///< of a scalar, without quotes
  std::vector<Yaml> children;  ///< of a list or a map, in the order of the file
};

/// Reads the part of YAML that settings files use: maps and lists by indentation, [a, b] and {a: b}
/// in one line or several, as in JSON, plain and quoted scalars, comments, one document. A file of
/// that kind needs no library. All else (anchors, tags, escapes, scalars of several lines, tabs as
/// indentation) throws InputError, "FILE:LINE: reason", and so do a key that stands twice, and
/// values nested more than 20 deep.
Yaml parse_yaml(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::text
