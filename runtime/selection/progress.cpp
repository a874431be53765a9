// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/selection/progress.h"

#include <utility>

namespace gatherbench::selection {

void Progress::begin(policies::Agenda agenda) {
  agenda_ = std::move(agenda);
  stretch_ = 0;
  call_ = 0;
  taken_.clear();
}

bool Progress::is_timed() const { return agenda_[stretch_].is_timed(call_); }

void Progress::add(const Taken& taken) {
  const policies::Stretch& stretch = agenda_[stretch_];
  if (stretch.timing == policies::Timing::summed) {
    if (call_ == 0) taken_.emplace_back();
    taken_.back().exit_ns += taken.exit_ns - taken.arrival_ns;
  } else if (is_timed()) {
    taken_.push_back(taken);
  }
  if (++call_ == stretch.calls) {
    ++stretch_;
    call_ = 0;
  }
}

}  // namespace gatherbench::selection
