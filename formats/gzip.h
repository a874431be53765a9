// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Compressed text in members, each of which can be read alone (RFC 1952, 2.2): what is appended
// whole is a member, so that a file that was cut off holds all members before the cut. The two
// functions that compress are in gzip_zlib.cpp or, without zlib, in gzip_none.cpp.
namespace gatherbench::formats {

/// Whether a file of this name is compressed: it ends in .gz.
bool is_gzip(std::string_view path);

/// Empty, or why this build has no gzip.
std::string_view why_no_gzip();

/// Of the result files that this build can write, the smallest files last: .csv, .csv.gz.
std::vector<std::string_view> result_endings();

/// The text as a member.
std::string gzip_member(std::string_view text);

/// Reads the member that begins at `data` into `text`. Returns its length; 0 if the data end before
/// it does; nothing if it is damaged, which no write that was cut off leaves behind.
std::optional<std::size_t> read_gzip_member(std::string_view data, std::string& text);

}  // namespace gatherbench::formats
