// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gatherbench::allgather_schedule {

int usable_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // 0: not known
}

void for_each_in_parallel(std::size_t count, int jobs,
                          const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take_work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      thrown = std::current_exception();
    }
  };
  const std::size_t helpers = std::min(static_cast<std::size_t>(jobs), count);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < helpers; ++i) threads.emplace_back(take_work);
  take_work();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace gatherbench::allgather_schedule
