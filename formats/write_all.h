// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace gatherbench::formats {

/// Writes all bytes, as write(2) does, but without the signal SIGXFSZ: beyond the largest size of a
/// file (RLIMIT_FSIZE) it would end the program, which may be a user's. Returns 0, or the error
/// because of which not all is written.
int write_all(int descriptor, std::string_view bytes);

}  // namespace gatherbench::formats
