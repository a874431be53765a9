// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/native/native_call.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/arrival_aware/local_redirect.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"

namespace gatherbench::bench {

/// A call that can be begun and waited for apart. `begin`, any number of `test`, and `finish` are
/// together what `run` is. They throw MpiError.
class Splittable {
 public:
  virtual void begin() = 0;
  /// Returns whether all is done.
  virtual bool test() = 0;
  virtual void finish() = 0;

 protected:
  ~Splittable() = default;
};

/// A call that predicts when ranks arrive from what the program tells of its progress towards
/// `run` (Proficz 2021). The functions are those of mpi::ArrivalAware.
class Predicting {
 public:
  virtual void processing_start() = 0;
  virtual void edge(double fraction) = 0;
  virtual void predict(std::int64_t arrival_ns, bool certain) = 0;
  virtual void processing_end() = 0;

 protected:
  ~Predicting() = default;
};

/// A call that has to know before its start when all ranks will arrive.
class Expecting {
 public:
  /// Says when all ranks will arrive at the next `run`, in microseconds from the first one on. All
  /// ranks say the same.
  virtual void expect(std::span<const double> arrival_us) = 0;
  /// Says when this rank arrived, in microseconds from the time at which the first one was
  /// expected.
  virtual void arrived(double us) = 0;

 protected:
  ~Expecting() = default;
};

/// A call that looks at the bytes of its results itself.
class SelfChecking {
 public:
  /// Returns whether it does so in each `run`.
  [[nodiscard]] virtual bool checks_each_run() const = 0;
  /// Returns the first fault that a `run` found on this rank; empty: there was none.
  [[nodiscard]] virtual std::string fault() const = 0;
  /// Runs all that it consists of once, checked, and returns the first fault.
  virtual std::string try_once() = 0;

 protected:
  ~SelfChecking() = default;
};

/// One algorithm that is prepared for one case, whatever moves the blocks. What only some can do is
/// a facet, a null pointer where a call has none.
class PreparedCall {
 public:
  PreparedCall() = default;
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;
  virtual ~PreparedCall() = default;

  /// Runs the collective once, on the buffers that it was prepared for. Throws MpiError.
  virtual void run() = 0;
  /// Makes the next calls use these buffers, which lie as those do that it was prepared for; `send`
  /// is null if it was. This is called between runs, and before `processing_start`.
  virtual void use_buffers(const std::byte* send, std::byte* receive) = 0;
  /// Gets the MPI library ready for `run`, on every rank, outside of what is timed. What it changes
  /// is as before when the result is destroyed. Without it `run` may be another algorithm.
  [[nodiscard]] virtual mpi::ScopedSettings arm() const { return {}; }

  [[nodiscard]] virtual Splittable* splittable() { return nullptr; }
  [[nodiscard]] virtual Predicting* predicting() { return nullptr; }
  [[nodiscard]] virtual Expecting* expecting() { return nullptr; }
  [[nodiscard]] virtual SelfChecking* self_checking() { return nullptr; }
  /// Returns what each run does, if that is a schedule of our own which is known before; else null.
  [[nodiscard]] virtual mpi::Plan* plan() { return nullptr; }
  /// Returns what the last run took beside moving blocks; null where arrivals make no difference.
  [[nodiscard]] virtual const mpi::ArrivalStatistics* arrival_statistics() const { return nullptr; }
  /// Returns what the last run was, as --algorithms takes it, if a call chooses in each run; else
  /// empty. The text lives as long as the call.
  [[nodiscard]] virtual std::string_view chosen() const { return {}; }
};

/// Makes a call of a schedule of our own. To take other buffers it needs the schedule that the plan
/// was made of.
std::unique_ptr<PreparedCall> call_of(mpi::Plan plan);
std::unique_ptr<PreparedCall> call_of(mpi::Plan plan, mpi::LoweredSchedule lowered);
std::unique_ptr<PreparedCall> call_of(NativeCall call);
std::unique_ptr<PreparedCall> call_of(mpi::ArrivalAware gather);
std::unique_ptr<PreparedCall> call_of(mpi::LocalRedirect reduction);

}  // namespace gatherbench::bench
