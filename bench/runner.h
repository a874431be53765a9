// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>
#include <variant>

#include "bench/gather_bcast_call.h"
#include "bench/native.h"
#include "bench/plan.h"

namespace gatherbench {

/// One algorithm, prepared for one case: whatever moves the blocks.
class Runner {
 public:
  explicit Runner(Plan plan) : way_(std::move(plan)) {}
  explicit Runner(NativeCall call) : way_(std::move(call)) {}
  explicit Runner(GatherBcastCall call) : way_(std::move(call)) {}
  /// One all-gather on the buffers it was prepared for. Throws MpiError.
  void run() {
    std::visit([](auto& way) { way.run(); }, way_);
  }

 private:
  std::variant<Plan, NativeCall, GatherBcastCall> way_;
};

}  // namespace gatherbench
