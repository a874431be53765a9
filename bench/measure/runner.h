// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "bench/measure/known_arrivals.h"
#include "bench/native/native_call.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/arrival_aware/local_redirect.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"

namespace gatherbench::bench {

/// What is made of runners: another one runs in each call, or several run in each.
class Composed {
 public:
  Composed() = default;
  Composed(const Composed&) = delete;
  Composed& operator=(const Composed&) = delete;
  virtual ~Composed() = default;

  /// Throws mpi::MpiError.
  virtual void run() = 0;
  virtual void use_buffers(const std::byte* send, std::byte* receive) = 0;
  [[nodiscard]] virtual mpi::ScopedSettings arm() const { return {}; }
  /// What the last call ran, as --algorithms takes it, for as long as this lives; empty: it does
  /// not choose.
  [[nodiscard]] virtual std::string_view chosen() const { return {}; }
  /// Whether it looks at the bytes of its calls itself, and the first fault that it found.
  [[nodiscard]] virtual bool checks() const { return false; }
  [[nodiscard]] virtual std::string fault() const { return {}; }
};

/// One algorithm, prepared for one case: whatever moves the blocks.
class Runner {
 public:
  explicit Runner(mpi::Plan plan) : way_(std::move(plan)) {}
  /// With the schedule that the plan was made of, for `use_buffers`.
  Runner(mpi::Plan plan, mpi::LoweredSchedule lowered)
      : way_(std::move(plan)), lowered_(std::move(lowered)) {}
  explicit Runner(NativeCall call) : way_(std::move(call)) {}
  explicit Runner(mpi::ArrivalAware gather) : way_(std::move(gather)) {}
  explicit Runner(mpi::LocalRedirect reduction) : way_(std::move(reduction)) {}
  explicit Runner(KnownArrivals known) : way_(std::move(known)) {}
  explicit Runner(std::unique_ptr<Composed> composed) : way_(Composition{std::move(composed)}) {}
  /// Gets the MPI library ready for `run`, on every rank, outside of what is timed; what it changed
  /// is as before when the result is gone. Without it `run` may be another algorithm.
  [[nodiscard]] mpi::ScopedSettings arm() const {
    if (const auto* const composition = std::get_if<Composition>(&way_)) {
      return composition->of->arm();
    }
    const auto* const call = std::get_if<NativeCall>(&way_);
    return call == nullptr ? mpi::ScopedSettings() : call->arm();
  }
  /// What the program tells of its progress towards `run` (Proficz 2021): for algorithms that
  /// predict arrivals; others make no use of it.
  void processing_start() {
    if (auto* const gather = std::get_if<mpi::ArrivalAware>(&way_)) gather->processing_start();
  }
  void edge(double fraction) {
    if (auto* const gather = std::get_if<mpi::ArrivalAware>(&way_)) gather->edge(fraction);
  }
  void predict(std::int64_t arrival_ns, bool certain) {
    if (auto* const gather = std::get_if<mpi::ArrivalAware>(&way_)) {
      gather->predict(arrival_ns, certain);
    }
  }
  /// Whether it has to know before the start when all ranks will arrive, and that.
  [[nodiscard]] bool knows_arrivals() const { return std::holds_alternative<KnownArrivals>(way_); }
  void expect(std::span<const double> arrival_us) {
    if (auto* const known = std::get_if<KnownArrivals>(&way_)) known->expect(arrival_us);
  }
  void arrived(double us) {
    if (auto* const known = std::get_if<KnownArrivals>(&way_)) known->arrived(us);
  }
  void processing_end() {
    if (auto* const gather = std::get_if<mpi::ArrivalAware>(&way_)) gather->processing_end();
  }
  /// The next calls are on these buffers, which lie as those do that it was prepared for; `send` is
  /// null if it was. A plan has to have its schedule for this. Between calls, before
  /// `processing_start`.
  void use_buffers(const std::byte* send, std::byte* receive) {
    if (auto* const plan = std::get_if<mpi::Plan>(&way_)) plan->bind(*lowered_, send, receive);
    if (auto* const call = std::get_if<NativeCall>(&way_)) call->use_buffers(send, receive);
    if (auto* const gather = std::get_if<mpi::ArrivalAware>(&way_)) {
      gather->use_buffers(send, receive);
    }
    if (auto* const known = std::get_if<KnownArrivals>(&way_)) known->use_buffers(send, receive);
    if (auto* const reduction = std::get_if<mpi::LocalRedirect>(&way_)) {
      reduction->use_buffers(send, receive);
    }
    if (auto* const composition = std::get_if<Composition>(&way_)) {
      composition->of->use_buffers(send, receive);
    }
  }
  /// The collective once, on the buffers it was prepared for. Throws MpiError.
  void run() {
    std::visit([](auto& way) { way.run(); }, way_);
  }
  /// Whether it can be begun and waited for apart: then `begin`, any number of `test`, which say
  /// whether all is done, and `finish` are as `run`. They throw MpiError.
  [[nodiscard]] bool can_begin() const {
    const auto* const call = std::get_if<NativeCall>(&way_);
    return call == nullptr ? std::holds_alternative<mpi::Plan>(way_) : call->can_begin();
  }
  void begin() {
    if (auto* const plan = std::get_if<mpi::Plan>(&way_)) plan->begin();
    if (auto* const call = std::get_if<NativeCall>(&way_)) call->begin();
  }
  bool test() {
    if (auto* const plan = std::get_if<mpi::Plan>(&way_)) return plan->test();
    return std::get<NativeCall>(way_).test();
  }
  void finish() {
    if (auto* const plan = std::get_if<mpi::Plan>(&way_)) plan->finish();
    if (auto* const call = std::get_if<NativeCall>(&way_)) call->finish();
  }
  /// What it runs each time, if that is a schedule of our own which is known before; else null.
  [[nodiscard]] mpi::Plan* plan() { return std::get_if<mpi::Plan>(&way_); }
  /// What the last run took beside moving blocks; null for algorithms that do not predict arrivals.
  [[nodiscard]] const mpi::ArrivalStatistics* predicted() const {
    if (const auto* const known = std::get_if<KnownArrivals>(&way_)) return &known->last();
    const auto* const gather = std::get_if<mpi::ArrivalAware>(&way_);
    return gather == nullptr ? nullptr : &gather->last();
  }
  /// What the last run was, if it is chosen in each; else empty.
  [[nodiscard]] std::string_view chosen() const {
    const auto* const composition = std::get_if<Composition>(&way_);
    return composition == nullptr ? std::string_view() : composition->of->chosen();
  }
  /// Whether it looks at the bytes of its runs itself, and the first fault that it found.
  [[nodiscard]] bool checks() const {
    const auto* const composition = std::get_if<Composition>(&way_);
    return composition != nullptr && composition->of->checks();
  }
  [[nodiscard]] std::string fault() const {
    const auto* const composition = std::get_if<Composition>(&way_);
    return composition == nullptr ? std::string() : composition->of->fault();
  }

 private:
  struct Composition {
    std::unique_ptr<Composed> of;
    void run() const { of->run(); }
  };

  std::variant<mpi::Plan, NativeCall, mpi::ArrivalAware, KnownArrivals, mpi::LocalRedirect,
               Composition>
      way_;
  std::optional<mpi::LoweredSchedule> lowered_;
};

}  // namespace gatherbench::bench
