// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::text {

/// Most bytes that are read of a user's file; a device may give bytes for ever.
inline constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 30;

/// Throws InputError that names `option` and the path if there is a device or a pipe, for which a
/// reader could wait without end, or a file larger than most_file_bytes.
void require_regular_file(std::string_view option, const std::string& path);

/// Returns the whole text of a regular file. Throws InputError that names `option` and the path.
std::string read_file(std::string_view option, const std::string& path);

// The lines of files such as Slurm's: what follows a # is a comment, a backslash at the end of a
// line continues it on the next one, and "Include FILE" stands for the lines of that file.

/// A line and those that continue it, without comments.
struct ConfigLine {
  std::string file;  ///< may be an included one
  int line;          ///< in the file, from 1; the first one of a continued line
  std::string text;
};

/// Returns the text of a file with the included ones in place, for config_lines. The names of
/// included files are relative to the folder of the file that includes them. Throws InputError that
/// names `option`, or the line that includes what cannot be read.
std::string read_config_file(std::string_view option, const std::string& path);

/// Returns the lines that are not empty, without a byte order mark at the beginning of a file.
std::vector<ConfigLine> config_lines(std::string_view file_name, std::string_view text);

}  // namespace gatherbench::text
