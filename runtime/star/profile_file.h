// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

#include "runtime/policies/profile.h"

// The file of AGSTAR_PROFILE, which several programs may have at a time.
namespace gatherbench::star {

/// Returns the file's text; empty if there is no such file, or it is empty. Throws
/// text::InputError.
std::string read_profile_file(const std::string& path);

/// Adds these rows to the file, and leaves out those that are too old by now. A file of another MPI
/// library or of other hosts stays as it is. Whoever reads it meanwhile finds the whole file from
/// before or from after. Where a symbolic link leads to the file, the link stays; so do the file's
/// permissions. Waits for at most 5 s while others do the same. Returns an empty text, or why the
/// file is as it was.
std::string update_profile_file(const std::string& path, const policies::Profile& rows,
                                std::chrono::sys_days today);

}  // namespace gatherbench::star
