// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/proof/fault.h"
#include "algorithms/proof/findings.h"
#include "algorithms/proof/holdings.h"
#include "algorithms/schedule.h"

namespace gatherbench::proof {

/// All ranks at once, step by step, each as far as it gets: which sends and receives wait for their
/// other half, and by Holdings, who has which block.
class SymbolicRun {
 public:
  /// Runs the schedules. It writes down in `rounds`, if that is given, what it finds of rounds,
  /// with a place a rank.
  SymbolicRun(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions,
              Rounds* rounds = nullptr);
  /// Runs to the end or to the first fault.
  ProofResult run();

 private:
  /// The open message from one rank to another: 1 + its index among the step's sends or receives,
  /// or 0.
  struct Open {
    std::uint32_t send = 0;
    std::uint32_t receive = 0;
  };
  /// A token of a step that its sender has left.
  struct Token {
    std::size_t step;
    std::size_t send;
    std::size_t begin;  // of the step, a round
  };
  struct State {
    std::size_t next_step = 0;
    std::size_t open = 0;  // transfers of the current step that have not met their other half
    bool at_barrier = false;
    std::size_t begin = 0;       // round in which the current step begins
    std::size_t next_begin = 0;  // the earliest of the next one, by the messages so far
  };

  Open& open(int from, int to) {
    return open_[static_cast<std::size_t>(from) * schedules_.size() + static_cast<std::size_t>(to)];
  }
  [[nodiscard]] std::size_t step_of(int rank) const {
    return states_[static_cast<std::size_t>(rank)].next_step - 1;
  }
  [[nodiscard]] const algorithms::Schedule& schedule(int rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] algorithms::Step current_step(int rank) const {
    return schedule(rank).step(step_of(rank));
  }
  [[nodiscard]] RankStep place_of(int rank) const { return {rank, step_of(rank)}; }
  /// Compares what all ranks' schedules have in common.
  [[nodiscard]] bool is_like_rank_0s(const algorithms::Schedule& other) const;

  void begin_next_step(int rank);
  void wait_at_barrier(int rank);
  void post(int rank);
  void add_rounds(int rank, const algorithms::Step& step);
  void fill_slot(std::uint32_t& slot, int rank, int peer, std::size_t index);
  void match(int from, int to, Open& both);
  /// Notes the round of the step that the sender is in.
  void note_round(int from, std::size_t send, int to, std::size_t receive);
  void leave(int rank, const algorithms::Step& step);
  bool take_token(int from, int to, Open& both);
  void require_all_finished();
  void require_tokens_taken();

  std::span<const algorithms::Schedule> schedules_;
  int ranks_;
  Holdings holdings_;
  std::vector<State> states_;
  std::vector<Open> open_;                                   // [from][to]
  std::map<std::pair<int, int>, std::deque<Token>> tokens_;  // from, to: on their way
  std::deque<int> ready_;                                    // ranks whose current step is complete
  int at_barrier_ = 0;
  ProofResult result_;
  Rounds* rounds_;
};

}  // namespace gatherbench::proof
