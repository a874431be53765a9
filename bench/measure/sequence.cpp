// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/conditions/synchroniser.h"
#include "bench/host/watchdog.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {

Sequence::Sequence(std::vector<SequenceCall> shapes, std::span<const RankCall> calls,
                   const BetweenCalls& between)
    : shapes_(std::move(shapes)),
      calls_(calls),
      between_(between),
      has_gaps_(std::ranges::any_of(calls, [](const RankCall& call) { return call.gap_ns > 0; })) {}

void Sequence::run() {
  constexpr std::size_t between_beats = 1024;  // where no gaps are
  std::int64_t left_ns = has_gaps_ ? mpi::steady_ns() : 0;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (i % between_beats == 0) Watchdog::beat();
    const RankCall& call = calls_[i];
    SequenceCall& one = shapes_[call.shape];
    pass(call, left_ns);
    one.call->run();
    if (has_gaps_) left_ns = mpi::steady_ns();
    if (!between_.checks || !fault_.empty()) continue;
    if (const std::string fault = one.bytes->fault(); !fault.empty()) {
      fault_ = fmt::format("call {} of this rank, {}: {}", i, one.name, fault);
    }
  }
}

/// Passes the time between the last exit and the call.
void Sequence::pass(const RankCall& call, std::int64_t left_ns) {
  if (between_.checks) {
    shapes_[call.shape].bytes->renew();
  } else if (between_.writes) {
    shapes_[call.shape].bytes->rewrite();
  }
  if (call.gap_ns == 0) return;
  Watchdog::beat();
  wait_until(left_ns + call.gap_ns, between_.wait);
}

void Sequence::use_buffers(const std::byte* /*send*/, std::byte* /*receive*/) {}

mpi::ScopedSettings Sequence::arm() const {
  // They are the same of every shape.
  return shapes_.empty() ? mpi::ScopedSettings() : shapes_.front().call->arm();
}

std::string Sequence::try_once() {
  std::string found;
  for (SequenceCall& one : shapes_) {
    one.bytes->renew();
    one.call->run();
    Watchdog::beat();
    if (!found.empty()) continue;  // the others wait for the calls
    if (const std::string fault = one.bytes->fault(); !fault.empty()) {
      found = fmt::format("{}: {}", one.name, fault);
    }
  }
  return found;
}

}  // namespace gatherbench::bench
