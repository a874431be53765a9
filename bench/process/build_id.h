// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace gatherbench::bench {

/// What the linker made of all that this program consists of, in hexadecimal digits: two builds of
/// one commit may differ. Empty if the linker gave none.
std::string build_id();

}  // namespace gatherbench::bench
