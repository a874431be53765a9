// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace gatherbench::allgather_schedule {

/// The catalogue as docs/reference/names.md: Markdown tables of everything that has a name.
std::string reference_markdown();

}  // namespace gatherbench::allgather_schedule
