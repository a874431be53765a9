// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/options.h"

namespace gatherbench::bench {
namespace {

// OSU's: beyond this size a tenth of the iterations.
constexpr std::int64_t large_bytes = 8192;

}  // namespace

std::int64_t Options::iterations_at(std::int64_t bytes) const {
  if (replay.is_asked()) return iterations.value_or(replay_iterations);
  return iterations.value_or(bytes > large_bytes ? 100 : 1000);
}

std::int64_t Options::warmup_at(std::int64_t bytes) const {
  if (replay.is_asked()) return warmup.value_or(replay_warmup);
  return warmup.value_or(bytes > large_bytes ? 10 : 100);
}

TableForm Options::table_form() const {
  const bool several = algorithms.size() > 1 && !has_osu_columns();
  return table.value_or(several ? TableForm::side_by_side : TableForm::osu);
}

}  // namespace gatherbench::bench
