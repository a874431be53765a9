// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/helper_thread.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

namespace gatherbench::mpi {
namespace {

using std::chrono::microseconds;

// A look takes a few microseconds. After something has happened more tends to follow.
constexpr microseconds min_nap{20};
constexpr microseconds max_nap{200};

double processor_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

}  // namespace

HelperThread::HelperThread() {
  // A thread has its maker's mask: the program's signals are its main thread's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { loop(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HelperThread::~HelperThread() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    quit_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void HelperThread::start(Task task) {
  {
    const std::scoped_lock lock(mutex_);
    task_ = std::move(task);
  }
  wake_.notify_one();
}

void HelperThread::stop() {
  std::unique_lock lock(mutex_);
  if (task_) {
    stop_ = true;
    wake_.notify_one();
    free_.wait(lock, [this] { return !task_; });
    stop_ = false;
  }
  rethrow();
}

void HelperThread::check() {
  const std::scoped_lock lock(mutex_);
  rethrow();
}

void HelperThread::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

void HelperThread::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return task_ || quit_; });
    if (quit_) return;
    const double before = processor_us();
    take_turns(lock);
    busy_us_ = processor_us() - before;
    task_ = nullptr;
    free_.notify_all();
  }
}

void HelperThread::take_turns(std::unique_lock<std::mutex>& lock) {
  microseconds nap = min_nap;
  while (!stop_) {
    lock.unlock();
    Advance turn = Advance::done;
    std::exception_ptr failure;
    try {
      turn = task_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) failure_ = failure;
    if (turn == Advance::done) return;
    nap = turn == Advance::moved ? min_nap : std::min(2 * nap, max_nap);
    wake_.wait_for(lock, nap, [this] { return stop_; });
  }
}

}  // namespace gatherbench::mpi
