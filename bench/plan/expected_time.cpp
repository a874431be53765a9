// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/expected_time.h"

#include <fmt/format.h>

#include "formats/text/input_error.h"

namespace gatherbench::bench {

void require_expected_time(const Options& options, const formats::CaseKey& one,
                           std::size_t algorithms, double waited_s) {
  if (options.iterations || options.max_time || options.precision) return;
  const std::int64_t calls = options.iterations_at(one.bytes) + options.warmup_at(one.bytes);
  const double call_s = static_cast<double>(one.total_bytes) / expected_bytes_a_second + waited_s;
  const double seconds = static_cast<double>(calls) * static_cast<double>(algorithms) * call_s;
  if (seconds <= longest_unasked_s) return;
  throw text::bad_value(
      options.sizes_option,
      options.replay.is_asked() ? options.replay.folder : fmt::to_string(one.bytes),
      fmt::format(
          "takes about {:.0f} s (algorithms: {}, calls of each: {}, bytes that each rank "
          "receives in a call: {}, at 1 GB/s{}), and nothing says how long a case may take; "
          "legal: {}, or --iterations, --max-time or --precision too",
          seconds, algorithms, calls, one.total_bytes,
          waited_s > 0 ? fmt::format(", and {:.3g} s between the program's calls", waited_s) : "",
          options.replay.is_asked() ? "fewer calls (--replay-calls)" : "smaller blocks"));
}

}  // namespace gatherbench::bench
