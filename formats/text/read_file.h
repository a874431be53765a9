// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gatherbench::text {

/// Most bytes that are read of a user's file; a device may give bytes for ever.
inline constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;

/// Throws InputError that names `option` and the path if there is something other than a regular
/// file, which a reader could wait for without end, or one larger than most_file_bytes.
void require_regular_file(std::string_view option, const std::string& path);

/// The whole text of a file, a regular one. Throws InputError that names `option` and the path.
std::string read_file(std::string_view option, const std::string& path);

}  // namespace gatherbench::text
