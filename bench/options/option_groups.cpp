// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/option_groups.h"

namespace gatherbench::bench {

Keys describe(const Options& options) {
  Keys keys;
  for (const auto part :
       {describe_cases, describe_arrivals, describe_placement, describe_loads, describe_buffers,
        describe_length, describe_checks, describe_files, describe_reduction}) {
    part(options, keys);
  }
  return keys;
}

}  // namespace gatherbench::bench
