// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "formats/metadata.h"

// These functions find out which code this process runs: two builds of one version of a library say
// the same of themselves, and a preloaded library says nothing.
namespace gatherbench::bench {

/// Returns the linker's hash of all that this program consists of, in hexadecimal digits. Two
/// builds of one commit may differ in it. Empty if the linker made none.
std::string build_id();

/// Returns `mpi_library`, the file that the MPI library was loaded from, and `mpi_build_id`, if the
/// linker gave it one; `preload`, if there is any. A library that is linked statically has no key.
formats::Metadata describe_loaded_libraries();

/// Returns the text of /etc/ld.so.preload without its comments, each from `#` to its line's end.
std::string without_comments(std::string_view file);

/// Returns "/a/b.so (build-id 01ab), c.so (not loaded)" for the names in LD_PRELOAD's value and in
/// /etc/ld.so.preload, which blanks, line breaks or colons divide.
std::string describe_preloads(std::string_view names);

}  // namespace gatherbench::bench
