// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "formats/metadata.h"

// Which code this process runs besides its own: two builds of one version of an MPI library say the
// same of themselves, and a preloaded library says nothing.
namespace gatherbench::bench {

/// `mpi_library`, the file that the MPI library was loaded from, and `mpi_build_id`, if the linker
/// gave it one; `preload`, if there is any. Nothing of a library that is linked statically.
formats::Metadata describe_loaded_libraries();

/// "/a/b.so (build-id 01ab), c.so (not loaded)" of the names in LD_PRELOAD's value and in
/// /etc/ld.so.preload, which blanks, line breaks or colons divide.
std::string describe_preloads(std::string_view names);

}  // namespace gatherbench::bench
