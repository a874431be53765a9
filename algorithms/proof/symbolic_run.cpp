// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/symbolic_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/messages/message_count.h"
#include "algorithms/messages/transfer_bytes.h"

namespace gatherbench::proof {
namespace {

/// Thrown inside this file only: a fault ends the proof wherever it is found.
struct Fault {
  std::string text;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Fault{fmt::format(format, std::forward<Args>(args)...)};
}

algorithms::Segments segments_of(std::span<const algorithms::Schedule> schedules,
                                 const Assumptions& assumptions) {
  const int ranks = static_cast<int>(schedules.size());
  return algorithms::cut(
      messages::sizes_of(assumptions.block_bytes, assumptions.collective->blocks(ranks)),
      schedules.front().segmentation);
}

}  // namespace

SymbolicRun::SymbolicRun(std::span<const algorithms::Schedule> schedules,
                         const Assumptions& assumptions, Rounds* rounds)
    : schedules_(schedules),
      ranks_(static_cast<int>(schedules.size())),
      moves_twice_(assumptions.moves_twice),
      collective_(*assumptions.collective),
      root_(assumptions.root),
      segments_(segments_of(schedules, assumptions)),
      states_(schedules.size()),
      blocks_(schedules.size() * blocks(), Block::absent),
      open_(schedules.size() * schedules.size()),
      rounds_(rounds) {
  if (collective_.combines) contributions_.emplace(ranks_, blocks(), assumptions.keeps_order);
  for (int rank = 0; rank < ranks_; ++rank) {
    const collectives::Part part = part_of(collective_, rank, ranks_, root_);
    for (const algorithms::BlockRange& range : part.initial) {
      std::ranges::fill(held_by(rank, segments_in(range)), Block::held);
      if (contributions_) contributions_->begin_with(rank, segments_in(range));
    }
  }
}

ProofResult SymbolicRun::run() {
  try {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (schedule(rank).segmentation != schedule(0).segmentation ||
          schedule(rank).broadcast_at_end != schedule(0).broadcast_at_end ||
          schedule(rank).broadcast_root != schedule(0).broadcast_root) {
        fail("rank {} has another kind of schedule than rank 0", rank);
      }
      begin_next_step(rank);
    }
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      finish_step(rank);
      begin_next_step(rank);
    }
    require_all_finished();
    require_tokens_taken();
    if (schedule(0).broadcast_at_end) broadcast();
    require_goal();
  } catch (const Fault& fault) {
    result_.fault = fault.text;
  }
  for (const algorithms::Schedule& one : schedules_) {
    result_.steps = std::max(result_.steps, static_cast<std::int64_t>(one.steps()));
  }
  return result_;
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
  if (rounds_ != nullptr) {
    rounds_->count = std::max(rounds_->count, own.next_begin);
    rounds_->ranks[static_cast<std::size_t>(rank)].push_back(
        {own.begin, std::vector<std::size_t>(step.sends.size()),
         std::vector<std::size_t>(step.receives.size())});
  }
  for (std::size_t i = 0; i < step.sends.size(); ++i) require_sendable(rank, step.sends[i]);
  if (step.leaves) {
    leave(rank, step);
    return;
  }
  if (contributions_) {
    own.incoming.assign(step.receives.size(), {});
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      for (const algorithms::BlockRange& range : step.sends[i].blocks) {
        std::ranges::fill(held_by(rank, range), Block::leaving);
      }
    }
  }
  for (std::size_t i = 0; i < step.receives.size(); ++i) expect(rank, step, step.receives[i]);
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

void SymbolicRun::require_legal(int rank, const algorithms::Transfer& transfer) const {
  if (transfer.peer < 0 || transfer.peer >= ranks_ || transfer.peer == rank) {
    fail("rank {} in step {}: peer {} is no other rank", rank, step_of(rank), transfer.peer);
  }
  for (const algorithms::BlockRange& range : transfer.blocks) {
    if (range.count < 1 || range.first < 0 ||
        range.first > static_cast<int>(blocks()) - range.count) {
      fail("rank {} in step {}: blocks [{}, +{}) do not exist", rank, step_of(rank), range.first,
           range.count);
    }
  }
}

void SymbolicRun::require_sendable(int rank, const algorithms::Transfer& transfer) {
  require_legal(rank, transfer);
  for (const algorithms::BlockRange& range : transfer.blocks) {
    int number = range.first;
    for (const Block one : held_by(rank, range)) {
      if (one != Block::held) {
        fail("rank {} in step {} sends block {} to {} but does not hold it", rank, step_of(rank),
             number, transfer.peer);
      }
      result_.bytes += segments_.bytes[static_cast<std::size_t>(number++)];
    }
  }
  result_.messages += collective_.packs
                          ? 1
                          : messages::count_messages(transfer, schedule(rank).scratch_first_block,
                                                     static_cast<int>(blocks()));
}

void SymbolicRun::expect(int rank, const algorithms::Step& step,
                         const algorithms::Transfer& transfer) {
  require_legal(rank, transfer);
  if (transfer.incoming != algorithms::Incoming::store) {
    expect_contributions(rank, transfer);
    return;
  }
  bool again = false;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    int number = range.first;
    for (Block& one : held_by(rank, range)) {
      if (one == Block::held && moves_twice_) {
        one = Block::coming_again;
        again = true;
      } else if (one == Block::absent) {
        one = Block::coming;
      } else {
        fail("rank {} in step {} receives block {} from {} a second time", rank, step_of(rank),
             number, transfer.peer);
      }
      ++number;
    }
  }
  // What comes in again would be written while it is read.
  for (std::size_t i = 0; again && i < step.sends.size(); ++i) {
    for (const algorithms::BlockRange& range : step.sends[i].blocks) {
      int number = range.first;
      for (const Block one : held_by(rank, range)) {
        if (one != Block::held) {
          fail("rank {} in step {} sends and receives block {}", rank, step_of(rank), number);
        }
        ++number;
      }
    }
  }
}

void SymbolicRun::expect_contributions(int rank, const algorithms::Transfer& transfer) {
  if (!contributions_) {
    fail("rank {} in step {} combines, and there is nothing to combine", rank, step_of(rank));
  }
  for (const algorithms::BlockRange& range : transfer.blocks) {
    int number = range.first;
    for (Block& one : held_by(rank, range)) {
      if (one == Block::leaving) {
        fail("rank {} in step {} sends and receives block {}", rank, step_of(rank), number);
      }
      // Several at a time are combined one after the other.
      if (one != Block::held && one != Block::combining) {
        fail("rank {} in step {} combines block {} from {} with nothing", rank, step_of(rank),
             number, transfer.peer);
      }
      one = Block::combining;
      ++number;
    }
  }
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
  if (contributions_) state(to).incoming[both.receive - 1] = contributions_->of(from, send);
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

void SymbolicRun::finish_step(int rank) {
  const algorithms::Step step = current_step(rank);
  if (contributions_ && !step.leaves) finish_contributions(rank, step);
  for (std::size_t i = 0; i < step.receives.size(); ++i) {
    for (const algorithms::BlockRange& range : step.receives[i].blocks) {
      std::ranges::fill(held_by(rank, range), Block::held);
    }
  }
}

/// Where ranks hold contributions, also for what they sent.
void SymbolicRun::finish_contributions(int rank, const algorithms::Step& step) {
  for (std::size_t i = 0; i < step.sends.size(); ++i) {
    for (const algorithms::BlockRange& range : step.sends[i].blocks) {
      std::ranges::fill(held_by(rank, range), Block::absent);
    }
    contributions_->hand_over(rank, step.sends[i]);
  }
  for (std::size_t i = 0; i < step.receives.size(); ++i) {
    const std::string why = contributions_->take(rank, step.receives[i], state(rank).incoming[i]);
    if (!why.empty()) fail("rank {} in step {} {}", rank, step_of(rank), why);
  }
}

void SymbolicRun::broadcast() {
  const int root = schedule(0).broadcast_root;
  if (root < 0 || root >= ranks_) fail("rank {}, which broadcasts, does not exist", root);
  const auto roots =
      std::span(blocks_).subspan(static_cast<std::size_t>(root) * blocks(), blocks());
  const auto missing = std::ranges::find_if(roots, [](Block one) { return one != Block::held; });
  if (missing != roots.end()) {
    fail("rank {} broadcasts block {} but does not hold it", root, missing - roots.begin());
  }
  std::ranges::fill(blocks_, Block::held);
}

void SymbolicRun::require_all_finished() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::size_t number = step_of(rank);
    if (state(rank).at_barrier) {
      fail("rank {} before step {} waits for ever in a barrier", rank, number);
    }
    if (state(rank).open == 0) continue;
    const algorithms::Step step = current_step(rank);
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      if (open(rank, step.sends[i].peer).send != 0) {
        fail("rank {} in step {} waits for ever for {} to receive", rank, number,
             step.sends[i].peer);
      }
    }
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      if (open(step.receives[i].peer, rank).receive != 0) {
        fail("rank {} in step {} waits for ever for {} to send", rank, number,
             step.receives[i].peer);
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

void SymbolicRun::require_goal() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const collectives::Part part = part_of(collective_, rank, ranks_, root_);
    for (const algorithms::BlockRange& range : part.goal) {
      int number = segments_in(range).first;
      for (const Block one : held_by(rank, segments_in(range))) {
        if (one != Block::held) fail("rank {} never receives block {}", rank, number);
        if (contributions_ && !contributions_->is_whole(rank, number)) {
          fail("rank {} ends without the contributions of all ranks to block {}", rank, number);
        }
        ++number;
      }
    }
  }
}

}  // namespace gatherbench::proof
