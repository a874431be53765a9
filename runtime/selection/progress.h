// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/policies/policy.h"

namespace gatherbench::selection {

/// A time as one rank has it, by the common clock if there is one, else by its own.
struct Taken {
  std::int64_t arrival_ns = 0;
  std::int64_t exit_ns = 0;
  /// Whether nobody leaves the call before all have come, so that it can count from then on. Not
  /// where times of several calls are added up, nor where a rank has nothing to wait for.
  bool from_last_arrival = false;
};

/// How far calls have come in an agenda.
class Progress {
 public:
  void begin(policies::Agenda agenda);

  [[nodiscard]] bool is_done() const { return stretch_ == agenda_.size(); }
  /// Of the next call.
  [[nodiscard]] std::size_t candidate() const { return agenda_[stretch_].candidate; }
  [[nodiscard]] bool is_timed() const;

  /// The next call is done. The times are of one that is timed.
  void add(const Taken& taken);

  [[nodiscard]] const policies::Agenda& agenda() const { return agenda_; }
  /// As many as the stretches have times, once the agenda is done.
  [[nodiscard]] std::span<const Taken> taken() const { return taken_; }

 private:
  policies::Agenda agenda_;
  std::size_t stretch_ = 0;
  std::int64_t call_ = 0;  // of the stretch
  std::vector<Taken> taken_;
};

}  // namespace gatherbench::selection
