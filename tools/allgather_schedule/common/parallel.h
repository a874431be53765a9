// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace gatherbench::allgather_schedule {

/// The cores that this process may use.
int usable_cores();

/// Calls work(i) for each i below `count`, small ones first, in up to `jobs` threads; returns when
/// all are done. If calls throw, one of the exceptions comes out and the rest of the work is left.
void for_each_in_parallel(std::size_t count, int jobs,
                          const std::function<void(std::size_t)>& work);

}  // namespace gatherbench::allgather_schedule
