// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/messages/compact_schedules.h"

namespace gatherbench::cost {

/// The position of each rank in its schedule while messages end, whatever they take. Times are of
/// any unit.
class RankSteps {
 public:
  /// `arrival` has that of every rank. With `in_background` the background steps run from time 0
  /// on. `us_a_combined_byte` is that of the operator.
  RankSteps(const messages::CompactSchedules& schedules, std::span<const double> arrival,
            bool in_background, double us_a_combined_byte = 0);

  /// Takes off, and returns, a rank whose begun steps have all ended; from the start on these are
  /// all ranks. Returns -1 if there is none.
  int next_ready();
  /// Returns when the rank may begin its next step: infinity if it has none, or waits at a barrier.
  double next_begin(int rank);
  /// Begins steps of the rank at time `now`, and returns them; all their transfers have to end, one
  /// by one.
  messages::CompactSchedules::Positions begin(int rank, double now);
  void end_send(const messages::CompactSchedules::Message& message, double now) {
    if (!schedules_.is_left(message)) end_transfer(message.sender, now);
  }
  /// Notes that a message has come in. It is combined when all of its step has ended, as the plans
  /// do.
  void end_receive(const messages::CompactSchedules::Message& message, double now) {
    if (schedules_.is_combined(message)) {
      ranks_[static_cast<std::size_t>(message.receiver)].combining +=
          static_cast<double>(schedules_.bytes(message)) * us_a_combined_byte_;
    }
    end_transfer(message.receiver, now);
  }
  /// Returns when the rank may begin the step that next_begin() told of.
  [[nodiscard]] double time(int rank) const { return ranks_[static_cast<std::size_t>(rank)].time; }
  /// Returns when each rank left. Throws std::invalid_argument if one has not.
  [[nodiscard]] std::vector<double> exits() const;

 private:
  void end_transfer(int rank, double now) {
    Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (one.time < now) one.time = now;
    if (--one.open > 0) return;
    one.time += one.combining;
    one.combining = 0;
    ready_.push_back(rank);
  }

  struct Rank {
    std::size_t next;            // step
    std::size_t background_end;  // step
    std::size_t last;
    std::size_t open = 0;  // transfers
    double time = 0;       // of the last end
    double combining = 0;  // time of what the step combines
    bool is_past_barrier = false;
  };
  bool waits_at_barrier(int rank, double time);

  const messages::CompactSchedules& schedules_;
  std::span<const double> arrival_;
  double us_a_combined_byte_;
  std::vector<Rank> ranks_;
  std::vector<int> ready_;  // a queue: from first_ready_ on
  std::size_t first_ready_ = 0;
  std::size_t at_barrier_ = 0;
  double barrier_time_ = 0;
};

}  // namespace gatherbench::cost
