// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/symbolic_run.h"

#include <algorithm>

namespace gatherbench::proof {

SymbolicRun::SymbolicRun(std::span<const algorithms::Schedule> schedules,
                         const Assumptions& assumptions, Rounds* rounds)
    : schedules_(schedules),
      ranks_(static_cast<int>(schedules.size())),
      holdings_(schedules, assumptions),
      states_(schedules.size()),
      open_(schedules.size() * schedules.size()),
      rounds_(rounds) {}

ProofResult SymbolicRun::run() {
  try {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (!is_like_rank_0s(schedule(rank))) {
        fail("rank {} has another kind of schedule than rank 0", rank);
      }
      begin_next_step(rank);
    }
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      holdings_.finish_step(place_of(rank), current_step(rank));
      begin_next_step(rank);
    }
    require_all_finished();
    require_tokens_taken();
    if (schedule(0).broadcast_at_end) holdings_.broadcast(schedule(0).broadcast_root);
    holdings_.require_goal();
  } catch (const Fault& fault) {
    result_.fault = fault.text;
  }
  result_.messages = holdings_.messages();
  result_.bytes = holdings_.bytes();
  for (const algorithms::Schedule& one : schedules_) {
    result_.steps = std::max(result_.steps, static_cast<std::int64_t>(one.steps()));
  }
  return result_;
}

bool SymbolicRun::is_like_rank_0s(const algorithms::Schedule& other) const {
  const algorithms::Schedule& first = schedule(0);
  return other.segmentation == first.segmentation &&
         other.broadcast_at_end == first.broadcast_at_end &&
         other.broadcast_root == first.broadcast_root;
}

void SymbolicRun::begin_next_step(int rank) {
  State& own = state(rank);
  if (own.next_step == schedule(rank).steps()) return;
  ++own.next_step;
  own.begin = own.next_begin;
  if (current_step(rank).barrier) {
    wait_at_barrier(rank);
  } else {
    post(rank);
  }
}

void SymbolicRun::wait_at_barrier(int rank) {
  state(rank).at_barrier = true;
  if (++at_barrier_ < ranks_) return;
  at_barrier_ = 0;
  ++result_.barriers;
  const std::size_t begin = std::ranges::max(states_, {}, &State::begin).begin;
  for (State& own : states_) {
    own.at_barrier = false;
    own.begin = begin;
  }
  for (int each = 0; each < ranks_; ++each) post(each);
}

void SymbolicRun::post(int rank) {
  const algorithms::Step step = current_step(rank);
  State& own = state(rank);
  own.open = step.sends.size() + step.receives.size();
  own.next_begin = own.begin + 1;
  if (rounds_ != nullptr) add_rounds(rank, step);
  holdings_.begin_step(place_of(rank), step);
  if (step.leaves) {
    leave(rank, step);
    return;
  }
  for (std::size_t i = 0; i < step.sends.size(); ++i) {
    const int peer = step.sends[i].peer;
    Open& both = open(rank, peer);
    fill_slot(both.send, rank, peer, i);
    match(rank, peer, both);
  }
  for (std::size_t i = 0; i < step.receives.size(); ++i) {
    const int peer = step.receives[i].peer;
    Open& both = open(peer, rank);
    fill_slot(both.receive, rank, peer, i);
    match(peer, rank, both);
  }
  if (step.sends.empty() && step.receives.empty()) ready_.push_back(rank);
}

/// Places for those of the step, which has just begun.
void SymbolicRun::add_rounds(int rank, const algorithms::Step& step) {
  const State& own = state(rank);
  rounds_->count = std::max(rounds_->count, own.next_begin);
  rounds_->ranks[static_cast<std::size_t>(rank)].push_back(
      {own.begin, std::vector<std::size_t>(step.sends.size()),
       std::vector<std::size_t>(step.receives.size())});
}

void SymbolicRun::leave(int rank, const algorithms::Step& step) {
  State& own = state(rank);
  own.open = 0;
  if (!step.receives.empty()) fail("rank {} in step {} leaves receives", rank, step_of(rank));
  for (std::size_t i = 0; i < step.sends.size(); ++i) {
    const int peer = step.sends[i].peer;
    if (!step.sends[i].blocks.empty()) {
      fail("rank {} in step {} leaves blocks on their way to {}", rank, step_of(rank), peer);
    }
    tokens_[{rank, peer}].push_back({step_of(rank), i, own.begin});
    match(rank, peer, open(rank, peer));
  }
  ready_.push_back(rank);
}

/// A token that was left meets the next receive of one. False if it is none.
bool SymbolicRun::take_token(int from, int to, Open& both) {
  if (tokens_.empty()) return false;
  const auto found = tokens_.find({from, to});
  if (found == tokens_.end()) return false;
  if (!current_step(to).receives[both.receive - 1].blocks.empty()) return false;
  const Token token = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) tokens_.erase(found);
  const std::size_t round = std::max(token.begin, state(to).begin);
  state(to).next_begin = std::max(state(to).next_begin, round + 1);
  if (rounds_ != nullptr) {
    rounds_->ranks[static_cast<std::size_t>(from)][token.step].sends[token.send] = round;
    rounds_->ranks[static_cast<std::size_t>(to)].back().receives[both.receive - 1] = round;
  }
  both.receive = 0;
  if (--state(to).open == 0) ready_.push_back(to);
  return true;
}

void SymbolicRun::fill_slot(std::uint32_t& slot, int rank, int peer, std::size_t index) {
  if (slot != 0) {
    fail("rank {} in step {} names peer {} twice in one direction", rank, step_of(rank), peer);
  }
  slot = static_cast<std::uint32_t>(index) + 1;
}

// Messages of a pair of ranks do not overtake each other, but for tokens and blocks, and each rank
// has one step open, so the open send of a pair meets its open receive.
void SymbolicRun::match(int from, int to, Open& both) {
  if (both.receive == 0 || take_token(from, to, both) || both.send == 0) return;
  const algorithms::Transfer send = current_step(from).sends[both.send - 1];
  const algorithms::Transfer receive = current_step(to).receives[both.receive - 1];
  if (!std::ranges::equal(send.blocks, receive.blocks)) {
    fail("rank {} in step {} sends other blocks to {} than that one receives in its step {}", from,
         step_of(from), to, step_of(to));
  }
  note_round(from, both.send - 1, to, both.receive - 1);
  holdings_.pass(from, send, to, both.receive - 1);
  both = {};
  for (const int rank : {from, to}) {
    if (--state(rank).open == 0) ready_.push_back(rank);
  }
}

void SymbolicRun::note_round(int from, std::size_t send, int to, std::size_t receive) {
  const std::size_t round = std::max(state(from).begin, state(to).begin);
  for (const int rank : {from, to}) {
    state(rank).next_begin = std::max(state(rank).next_begin, round + 1);
  }
  if (rounds_ == nullptr) return;
  rounds_->ranks[static_cast<std::size_t>(from)].back().sends[send] = round;
  rounds_->ranks[static_cast<std::size_t>(to)].back().receives[receive] = round;
}

void SymbolicRun::require_all_finished() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::size_t number = step_of(rank);
    if (state(rank).at_barrier) {
      fail("rank {} before step {} waits for ever in a barrier", rank, number);
    }
    if (state(rank).open == 0) continue;
    const algorithms::Step step = current_step(rank);
    for (const algorithms::Transfer send : step.sends) {
      if (open(rank, send.peer).send != 0) {
        fail("rank {} in step {} waits for ever for {} to receive", rank, number, send.peer);
      }
    }
    for (const algorithms::Transfer receive : step.receives) {
      if (open(receive.peer, rank).receive != 0) {
        fail("rank {} in step {} waits for ever for {} to send", rank, number, receive.peer);
      }
    }
  }
}

void SymbolicRun::require_tokens_taken() {
  if (tokens_.empty()) return;
  const auto& [pair, left] = *tokens_.begin();
  fail("rank {} in step {} sends a token that {} never receives", pair.first, left.front().step,
       pair.second);
}

}  // namespace gatherbench::proof
