// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "formats/trace/rank_trace.h"

// The file that one rank leaves under libagtrace.so (docs/reference/trace_file.md);
// agreport/trace/ranks.py reads the same.
namespace gatherbench::formats {

/// Reads the bytes of a file, keeping the records of one operation ("MPI_Allgather"). Records
/// behind the last checksum, where a kill cut the file off, are not taken. Throws
/// text::InputError, one line with `option`, the path and the line or the record: a file that was
/// altered, or is none, or has a record that cannot have been.
RankTrace read_rank_trace(std::string_view option, std::string_view path, std::string_view data,
                          std::string_view operation);

}  // namespace gatherbench::formats
