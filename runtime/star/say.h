// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace gatherbench::star {

/// One line on standard error.
void say(std::string_view message);

}  // namespace gatherbench::star
