// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/prepared_call.h"

#include <optional>
#include <utility>

namespace gatherbench::bench {
namespace {

class PlanCall final : public PreparedCall, public Splittable {
 public:
  PlanCall(mpi::Plan plan, std::optional<mpi::LoweredSchedule> lowered)
      : plan_(std::move(plan)), lowered_(std::move(lowered)) {}

  void run() override { plan_.run(); }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    plan_.bind(lowered_.value(), send, receive);
  }
  [[nodiscard]] mpi::Plan* plan() override { return &plan_; }

  [[nodiscard]] Splittable* splittable() override { return this; }
  void begin() override { plan_.begin(); }
  bool test() override { return plan_.test(); }
  void finish() override { plan_.finish(); }

 private:
  mpi::Plan plan_;
  std::optional<mpi::LoweredSchedule> lowered_;
};

class LibraryCall final : public PreparedCall, public Splittable {
 public:
  explicit LibraryCall(NativeCall call) : call_(std::move(call)) {}

  void run() override { call_.run(); }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    call_.use_buffers(send, receive);
  }
  [[nodiscard]] mpi::ScopedSettings arm() const override { return call_.arm(); }

  [[nodiscard]] Splittable* splittable() override { return call_.can_begin() ? this : nullptr; }
  void begin() override { call_.begin(); }
  bool test() override { return call_.test(); }
  void finish() override { call_.finish(); }

 private:
  NativeCall call_;
};

class PredictingCall final : public PreparedCall, public Predicting {
 public:
  explicit PredictingCall(mpi::ArrivalAware gather) : gather_(std::move(gather)) {}

  void run() override { gather_.run(); }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    gather_.use_buffers(send, receive);
  }
  [[nodiscard]] const mpi::ArrivalStatistics* arrival_statistics() const override {
    return &gather_.last();
  }

  [[nodiscard]] Predicting* predicting() override { return this; }
  void processing_start() override { gather_.processing_start(); }
  void edge(double fraction) override { gather_.edge(fraction); }
  void predict(std::int64_t arrival_ns, bool certain) override {
    gather_.predict(arrival_ns, certain);
  }
  void processing_end() override { gather_.processing_end(); }

 private:
  mpi::ArrivalAware gather_;
};

class RedirectingCall final : public PreparedCall {
 public:
  explicit RedirectingCall(mpi::LocalRedirect reduction) : reduction_(std::move(reduction)) {}

  void run() override { reduction_.run(); }
  void use_buffers(const std::byte* send, std::byte* receive) override {
    reduction_.use_buffers(send, receive);
  }

 private:
  mpi::LocalRedirect reduction_;
};

}  // namespace

std::unique_ptr<PreparedCall> call_of(mpi::Plan plan) {
  return std::make_unique<PlanCall>(std::move(plan), std::nullopt);
}

std::unique_ptr<PreparedCall> call_of(mpi::Plan plan, mpi::LoweredSchedule lowered) {
  return std::make_unique<PlanCall>(std::move(plan), std::move(lowered));
}

std::unique_ptr<PreparedCall> call_of(NativeCall call) {
  return std::make_unique<LibraryCall>(std::move(call));
}

std::unique_ptr<PreparedCall> call_of(mpi::ArrivalAware gather) {
  return std::make_unique<PredictingCall>(std::move(gather));
}

std::unique_ptr<PreparedCall> call_of(mpi::LocalRedirect reduction) {
  return std::make_unique<RedirectingCall>(std::move(reduction));
}

}  // namespace gatherbench::bench
