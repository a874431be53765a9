// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/checked_buffers.h"
#include "bench/measure/prepared_call.h"
#include "bench/options/values/words.h"
#include "bench/plan/call_sequence.h"

namespace gatherbench::bench {

/// A call of one shape on one rank, prepared.
struct SequenceCall {
  std::unique_ptr<PreparedCall> call;
  CheckedBuffers* bytes;  ///< what belongs into its buffers
  std::string name;       ///< in messages
};

/// The behaviour of a rank in a sequence between two calls.
struct BetweenCalls {
  Wait wait = Wait::busy;  ///< how it passes the gaps
  bool writes = false;     ///< what it sends, before each call, within the gap
  bool checks = false;     ///< every byte of every call, within the gaps
};

/// The calls of a traced program by one algorithm, as one rank makes them. A call of each shape is
/// prepared once, and all use the same buffers.
class Sequence final : public PreparedCall, public SelfChecking {
 public:
  /// `shapes` are those that this rank has calls of; `calls` name them by their numbers there, and
  /// must outlive it, as what `shapes` points to.
  Sequence(std::vector<SequenceCall> shapes, std::span<const RankCall> calls,
           const BetweenCalls& between);

  void run() override;
  /// Does nothing: the buffers stay those that all was prepared for.
  void use_buffers(const std::byte* send, std::byte* receive) override;
  [[nodiscard]] mpi::ScopedSettings arm() const override;

  [[nodiscard]] SelfChecking* self_checking() override { return this; }
  [[nodiscard]] bool checks_each_run() const override { return between_.checks; }
  [[nodiscard]] std::string fault() const override { return fault_; }
  /// Runs a call of each shape once. All ranks have their shapes in one order.
  std::string try_once() override;

 private:
  void pass(const RankCall& call, std::int64_t left_ns);

  std::vector<SequenceCall> shapes_;
  std::span<const RankCall> calls_;
  BetweenCalls between_;
  bool has_gaps_;
  std::string fault_;
};

}  // namespace gatherbench::bench
