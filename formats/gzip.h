// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Compressed text in members, each of which can be read alone (RFC 1952, 2.2): what is appended
// whole is a member, so that a file that was cut off holds all members before the cut.
namespace gatherbench::formats {

/// Returns whether a file of this name is compressed: it ends in .gz.
bool is_gzip(std::string_view path);

/// Returns the text, compressed, as a member.
std::string gzip_member(std::string_view text);

/// Reads the member that begins at `data` into `text`. Returns its length; 0 if the data end before
/// it does; nothing if it is damaged, which no write that was cut off leaves behind.
std::optional<std::size_t> read_gzip_member(std::string_view data, std::string& text);

}  // namespace gatherbench::formats
