// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "formats/text/yaml_flow.h"

namespace gatherbench::text {

/// Reads the part of YAML that settings files use: maps and lists by indentation, [a, b] and {a: b}
/// in one line or several, as in JSON, plain and quoted scalars, comments, one document. A file of
/// that kind needs no library. All else (anchors, tags, escapes, scalars of several lines, tabs as
/// indentation) throws InputError, "FILE:LINE: reason", and so do a key that stands twice, and
/// values nested more than 20 deep.
Yaml parse_yaml(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::text
