// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::text {

/// The whole text of a file. Throws InputError that names `option` and the path.
std::string read_file(std::string_view option, const std::string& path);

}  // namespace gatherbench::text
