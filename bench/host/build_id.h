// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace gatherbench::bench {

/// Returns the linker's hash of all that this program consists of, in hexadecimal digits. Two
/// builds of one commit may differ in it. Empty if the linker made none.
std::string build_id();

}  // namespace gatherbench::bench
