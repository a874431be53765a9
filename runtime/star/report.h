// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/policies/profile.h"
#include "runtime/star/comm_state.h"
#include "runtime/star/world.h"

namespace gatherbench::star {

/// The totals of all sessions, each counted by the first rank of its communicator.
class Report {
 public:
  /// `in_detail`: with a line for each session, else only sums.
  explicit Report(bool in_detail) : in_detail_(in_detail) {}

  void add(CommState& state);
  /// One line on standard error, and the files of AGSTAR_REPORT and AGSTAR_PROFILE, on rank 0.
  /// Collective.
  void tell(const World& world);

 private:
  bool in_detail_;
  std::int64_t sessions_ = 0;
  std::int64_t changed_ = 0;  // those that ended with another algorithm than the library's
  std::int64_t calls_ = 0;
  std::int64_t agreements_ = 0;
  std::int64_t spent_ns_ = 0;
  std::int64_t excess_ns_ = 0;
  std::string lines_;
  std::vector<policies::ProfileRow> rows_;
};

}  // namespace gatherbench::star
