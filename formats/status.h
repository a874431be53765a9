// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace gatherbench::formats {

/// The result of an algorithm in a case, or of one of its iterations.
enum class Status { ok, late, skipped, wrong };

struct StatusWord {
  Status status;
  std::string_view name;  ///< in the column `status`
  std::string_view text;
  bool timed;  ///< the row has times; only those of `ok` count
};

/// All of them, in the order of the enumeration.
std::span<const StatusWord> statuses();

std::string_view name_of(Status status);

}  // namespace gatherbench::formats
