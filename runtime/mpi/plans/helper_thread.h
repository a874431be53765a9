// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gatherbench::mpi {

/// The result of an attempt to go on without waiting.
enum class Advance {
  idle,   ///< nothing has happened since the last attempt
  moved,  ///< something has happened
  done,   ///< there is no more to do
};

/// A thread for communication beside a computation: it takes turns at one task and sleeps between
/// them, so that it takes next to nothing of the processor that the computation has. Without a task
/// it does nothing at all. No signal is handled in it.
class HelperThread {
 public:
  /// A turn: it never blocks. The thread sleeps the longer the less happens.
  using Task = std::function<Advance()>;

  HelperThread();
  /// Stops the task; an exception that it throws then is lost.
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// Begins a task. None may be under way.
  void start(Task task);
  /// Stops the task. After it returns no turn is under way and none will be: what the task works on
  /// is the caller's again. It waits for one turn at most. Throws what a task has thrown.
  void stop();
  /// Throws what a task has thrown, while one may be under way.
  void check();
  /// Returns the processor time that the last task has taken in the thread, in microseconds. It is
  /// valid after `stop`.
  [[nodiscard]] double busy_us() const { return busy_us_; }

 private:
  void loop();
  void take_turns(std::unique_lock<std::mutex>& lock);
  void rethrow() const;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable free_;
  Task task_;  // none: nothing to do
  bool stop_ = false;
  bool quit_ = false;
  std::exception_ptr failure_;
  double busy_us_ = 0;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace gatherbench::mpi
