// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "formats/row.h"

namespace gatherbench::bench {

/// What goes on while a group's collective is timed.
struct Load {
  std::string beside = std::string(formats::nothing_beside);  ///< in the column of that name
  bool every_group = true;  ///< all groups at the same time; else one, each in its turn
};

}  // namespace gatherbench::bench
