// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "formats/row.h"

namespace gatherbench::bench {

/// The activity beside a group's collective while it is timed.
struct Load {
  std::string beside = std::string(formats::nothing_beside);  ///< as the column of that name has it
  bool every_group = true;  ///< all groups at the same time; else one, each in its turn
  bool traffic = false;     ///< that of --beside is under way
  bool congested = false;   ///< the ranks of --congest send
  bool computes = false;    ///< a computation goes on between the begin of a call and its end
  /// Returns whether nothing runs beside the call but the other groups.
  [[nodiscard]] bool is_call_alone() const {
    return every_group && !traffic && !congested && !computes;
  }
};

}  // namespace gatherbench::bench
