// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/expected_time.h"

#include <fmt/format.h>

#include "text/input_error.h"

namespace gatherbench::bench {

void require_expected_time(const Options& options, const formats::CaseKey& one,
                           std::size_t algorithms) {
  if (options.iterations || options.max_time || options.precision) return;
  const std::int64_t calls = options.iterations_at(one.bytes) + options.warmup_at(one.bytes);
  const double seconds = static_cast<double>(calls) * static_cast<double>(algorithms) *
                         static_cast<double>(one.total_bytes) / expected_bytes_a_second;
  if (seconds <= longest_unasked_s) return;
  throw text::bad_value(
      options.sizes_option, fmt::to_string(one.bytes),
      fmt::format("takes about {:.0f} s (algorithms: {}, calls of each: {}, bytes that each rank "
                  "receives in a call: {}, at 1 GB/s), and nothing says how long a case may take; "
                  "legal: smaller blocks, or --iterations, --max-time or --precision too",
                  seconds, algorithms, calls, one.total_bytes));
}

}  // namespace gatherbench::bench
