// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/symbolic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "algorithms/messages/transfer_bytes.h"

namespace gatherbench::proof {
namespace {

constexpr std::size_t word_bits = 64;

/// Returns the first member of a set that is not empty.
std::size_t first_of(std::span<const std::uint64_t> set) {
  std::size_t word = 0;
  while (set[word] == 0) ++word;
  return word * word_bits + static_cast<std::size_t>(std::countr_zero(set[word]));
}

std::size_t last_of(std::span<const std::uint64_t> set) {
  std::size_t word = set.size() - 1;
  while (set[word] == 0) --word;
  return word * word_bits + static_cast<std::size_t>(std::bit_width(set[word])) - 1;
}

/// Calls visit(block) for each block of the transfer, in order.
template <typename Visit>
void for_each_block(const algorithms::Transfer& transfer, Visit visit) {
  for (const algorithms::BlockRange& range : transfer.blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) visit(block);
  }
}

}  // namespace

Contributions::Contributions(int ranks, std::size_t blocks, bool keeps_order)
    : ranks_(ranks),
      blocks_(blocks),
      keeps_order_(keeps_order),
      words_((static_cast<std::size_t>(ranks) + word_bits - 1) / word_bits),
      bits_(static_cast<std::size_t>(ranks) * blocks * words_, 0) {}

std::span<std::uint64_t> Contributions::set(int rank, int block) {
  const std::size_t row =
      static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
  return std::span(bits_).subspan(row * words_, words_);
}

std::span<const std::uint64_t> Contributions::set(int rank, int block) const {
  const std::size_t row =
      static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
  return std::span(bits_).subspan(row * words_, words_);
}

void Contributions::begin_with(int rank, const algorithms::BlockRange& blocks) {
  const auto bit = static_cast<std::size_t>(rank);
  for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
    set(rank, block)[bit / word_bits] |= std::uint64_t{1} << (bit % word_bits);
  }
}

std::vector<Contributions::Set> Contributions::of(int rank,
                                                  const algorithms::Transfer& transfer) const {
  std::vector<Set> sets;
  for_each_block(transfer, [&](int block) {
    const std::span<const std::uint64_t> one = set(rank, block);
    sets.emplace_back(one.begin(), one.end());
  });
  return sets;
}

void Contributions::hand_over(int rank, const algorithms::Transfer& transfer) {
  for_each_block(transfer, [&](int block) { std::ranges::fill(set(rank, block), 0U); });
}

std::string Contributions::combine(std::span<std::uint64_t> own, const Set& more,
                                   algorithms::Incoming incoming) const {
  for (std::size_t i = 0; i < words_; ++i) {
    if (const std::uint64_t both = own[i] & more[i]; both != 0) {
      return fmt::format("the contribution of rank {} a second time",
                         i * word_bits + static_cast<std::size_t>(std::countr_zero(both)));
    }
  }
  if (keeps_order_) {
    const bool behind = incoming == algorithms::Incoming::combine_behind;
    const std::span<const std::uint64_t> left = behind ? own : std::span<const std::uint64_t>(more);
    const std::span<const std::uint64_t> right =
        behind ? std::span<const std::uint64_t>(more) : own;
    if (last_of(left) + 1 != first_of(right)) {
      return fmt::format("those up to rank {} and those from rank {} on, which are no neighbours",
                         last_of(left), first_of(right));
    }
  }
  for (std::size_t i = 0; i < words_; ++i) own[i] |= more[i];
  return {};
}

std::string Contributions::take(int rank, const algorithms::Transfer& transfer,
                                const std::vector<Set>& sets) {
  std::string fault;
  std::size_t number = 0;
  for_each_block(transfer, [&](int block) {
    const Set& more = sets[number++];
    if (transfer.incoming == algorithms::Incoming::store) {
      std::ranges::copy(more, set(rank, block).begin());
    } else if (fault.empty()) {
      const std::string why = combine(set(rank, block), more, transfer.incoming);
      if (!why.empty()) fault = fmt::format("combines in block {} {}", block, why);
    }
  });
  return fault;
}

bool Contributions::is_whole(int rank, int block) const {
  int found = 0;
  for (const std::uint64_t word : set(rank, block)) found += std::popcount(word);
  return found == ranks_;
}

namespace {

/// Returns the collective that the steps alone compute, without what is combined after them.
const collectives::Collective& collective_of_steps(const algorithms::Schedule& schedule,
                                                   const Assumptions& assumptions) {
  return schedule.contributions > 0 ? collectives::allgather : *assumptions.collective;
}

algorithms::Segments segments_of(std::span<const algorithms::Schedule> schedules,
                                 const Assumptions& assumptions) {
  const int ranks = static_cast<int>(schedules.size());
  const int blocks = collective_of_steps(schedules.front(), assumptions).blocks(ranks);
  return algorithms::cut(messages::sizes_of(assumptions.block_bytes, blocks),
                         schedules.front().segmentation);
}

}  // namespace

Holdings::Holdings(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions)
    : schedules_(schedules),
      ranks_(static_cast<int>(schedules.size())),
      moves_twice_(assumptions.moves_twice),
      collective_(collective_of_steps(schedules.front(), assumptions)),
      root_(assumptions.root),
      segments_(segments_of(schedules, assumptions)),
      blocks_(schedules.size() * blocks(), Block::absent),
      incoming_(schedules.size()) {
  if (collective_.combines) contributions_.emplace(ranks_, blocks(), assumptions.keeps_order);
  for (int rank = 0; rank < ranks_; ++rank) {
    const int distance = collectives::distance_from(root_, rank, ranks_);
    for (const algorithms::BlockRange& range : collective_.initial(distance, ranks_)) {
      std::ranges::fill(held_by(rank, segments_in(range)), Block::held);
      if (contributions_) contributions_->begin_with(rank, segments_in(range));
    }
  }
}

void Holdings::begin_step(const RankStep& at, const algorithms::Step& step) {
  for (const algorithms::Transfer transfer : step.sends) send(at, transfer);
  if (step.leaves) return;
  if (contributions_) {
    incoming_[static_cast<std::size_t>(at.rank)].assign(step.receives.size(), {});
    for (const algorithms::Transfer transfer : step.sends) fill(at.rank, transfer, Block::leaving);
  }
  for (const algorithms::Transfer transfer : step.receives) expect(at, step, transfer);
}

void Holdings::pass(int from, const algorithms::Transfer& send, int to, std::size_t receive) {
  if (!contributions_) return;
  incoming_[static_cast<std::size_t>(to)][receive] = contributions_->of(from, send);
}

void Holdings::finish_step(const RankStep& at, const algorithms::Step& step) {
  if (contributions_ && !step.leaves) finish_contributions(at, step);
  for (const algorithms::Transfer transfer : step.receives) fill(at.rank, transfer, Block::held);
}

/// Finishes a step where ranks hold contributions: what the rank sent, and what comes in.
void Holdings::finish_contributions(const RankStep& at, const algorithms::Step& step) {
  for (const algorithms::Transfer transfer : step.sends) {
    fill(at.rank, transfer, collective_.keeps_contributions ? Block::sent : Block::absent);
    if (!collective_.keeps_contributions) contributions_->hand_over(at.rank, transfer);
  }
  const auto& incoming = incoming_[static_cast<std::size_t>(at.rank)];
  for (std::size_t i = 0; i < step.receives.size(); ++i) {
    const std::string why = contributions_->take(at.rank, step.receives[i], incoming[i]);
    if (!why.empty()) fail("rank {} in step {} {}", at.rank, at.step, why);
  }
}

void Holdings::broadcast(int root) {
  if (root < 0 || root >= ranks_) fail("rank {}, which broadcasts, does not exist", root);
  const auto roots = held_by(root, {0, static_cast<int>(blocks())});
  const auto missing = std::ranges::find_if(roots, [](Block one) { return one != Block::held; });
  if (missing != roots.end()) {
    fail("rank {} broadcasts block {} but does not hold it", root, missing - roots.begin());
  }
  std::ranges::fill(blocks_, Block::held);
}

void Holdings::require_goal() {
  for (int rank = 0; rank < ranks_; ++rank) {
    const int distance = collectives::distance_from(root_, rank, ranks_);
    std::vector<algorithms::BlockRange> goal = collective_.goal(distance, ranks_);
    for (algorithms::BlockRange& range : goal) range = segments_in(range);
    for_each_block(rank, goal, [&](int number, Block one) {
      if (!is_there(one)) fail("rank {} never receives block {}", rank, number);
      if (contributions_ && !contributions_->is_whole(rank, number)) {
        fail("rank {} ends without the contributions of all ranks to block {}", rank, number);
      }
    });
  }
}

void Holdings::fill(int rank, const algorithms::Transfer& transfer, Block with) {
  for (const algorithms::BlockRange& range : transfer.blocks) {
    std::ranges::fill(held_by(rank, range), with);
  }
}

algorithms::BlockRange Holdings::segments_in(const algorithms::BlockRange& range) const {
  const int first = segments_.first[static_cast<std::size_t>(range.first)];
  const int end = range.first + range.count;
  return {first, segments_.first[static_cast<std::size_t>(end)] - first};
}

void Holdings::require_legal(const RankStep& at, const algorithms::Transfer& transfer) const {
  if (transfer.peer < 0 || transfer.peer >= ranks_ || transfer.peer == at.rank) {
    fail("rank {} in step {}: peer {} is no other rank", at.rank, at.step, transfer.peer);
  }
  for (const algorithms::BlockRange& range : transfer.blocks) {
    if (range.count < 1 || range.first < 0 ||
        range.first > static_cast<int>(blocks()) - range.count) {
      fail("rank {} in step {}: blocks [{}, +{}) do not exist", at.rank, at.step, range.first,
           range.count);
    }
  }
}

void Holdings::send(const RankStep& at, const algorithms::Transfer& transfer) {
  require_legal(at, transfer);
  for_each_block(at.rank, transfer.blocks, [&](int number, Block one) {
    if (!is_there(one)) {
      fail("rank {} in step {} sends block {} to {} but does not hold it", at.rank, at.step, number,
           transfer.peer);
    }
    bytes_ += segments_.bytes[static_cast<std::size_t>(number)];
  });
  const algorithms::Schedule& schedule = schedules_[static_cast<std::size_t>(at.rank)];
  messages_ += collective_.packs ? 1
                                 : messages::count_messages(transfer, schedule.scratch_first_block,
                                                            static_cast<int>(blocks()));
}

void Holdings::expect(const RankStep& at, const algorithms::Step& step,
                      const algorithms::Transfer& transfer) {
  require_legal(at, transfer);
  if (transfer.incoming != algorithms::Incoming::store) {
    expect_contributions(at, transfer);
    return;
  }
  bool again = false;
  for_each_block(at.rank, transfer.blocks, [&](int number, Block& one) {
    if (one == Block::held && moves_twice_) {
      one = Block::coming_again;
      again = true;
    } else if (one == Block::absent || one == Block::sent) {
      one = Block::coming;
    } else {
      fail("rank {} in step {} receives block {} from {} a second time", at.rank, at.step, number,
           transfer.peer);
    }
  });
  if (again) require_not_sent(at, step);
}

/// Throws a Fault if the step sends a block that also comes in, since it would be written while it
/// is read.
void Holdings::require_not_sent(const RankStep& at, const algorithms::Step& step) {
  for (const algorithms::Transfer transfer : step.sends) {
    for_each_block(at.rank, transfer.blocks, [&](int number, Block one) {
      if (one != Block::held) {
        fail("rank {} in step {} sends and receives block {}", at.rank, at.step, number);
      }
    });
  }
}

void Holdings::expect_contributions(const RankStep& at, const algorithms::Transfer& transfer) {
  if (!contributions_) {
    fail("rank {} in step {} combines, and there is nothing to combine", at.rank, at.step);
  }
  for_each_block(at.rank, transfer.blocks, [&](int number, Block& one) {
    const bool leaves = one == Block::leaving;
    if (leaves && !collective_.keeps_contributions) {
      fail("rank {} in step {} sends and receives block {}", at.rank, at.step, number);
    }
    // Several at a time are combined one after the other.
    if (!is_there(one) && one != Block::combining && !leaves) {
      fail("rank {} in step {} combines block {} from {} with nothing", at.rank, at.step, number,
           transfer.peer);
    }
    one = Block::combining;
  });
}

SymbolicRun::SymbolicRun(std::span<const algorithms::Schedule> schedules,
                         const Assumptions& assumptions, Rounds* rounds)
    : schedules_(schedules),
      ranks_(static_cast<int>(schedules.size())),
      combines_(assumptions.collective->combines),
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
      require_contributions(rank);
      begin_next_step(rank);
    }
    while (!ready_.empty()) {
      // The order does not matter, and the cache still holds what the last one and its peers have.
      const int rank = ready_.back();
      ready_.pop_back();
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
  return other.segmentation == first.segmentation && other.contributions == first.contributions &&
         other.broadcast_at_end == first.broadcast_at_end &&
         other.broadcast_root == first.broadcast_root;
}

void SymbolicRun::require_contributions(int rank) const {
  const algorithms::Schedule& own = schedule(rank);
  if (own.contributions == 0) return;
  if (!combines_) fail("rank {} combines, and there is nothing to combine", rank);
  if (own.contributions != ranks_ || own.own_contribution != rank) {
    fail("rank {} combines {} contributions, of which block {} is its own, among {} ranks", rank,
         own.contributions, own.own_contribution, ranks_);
  }
}

void SymbolicRun::begin_next_step(int rank) {
  State& own = state(rank);
  if (own.next_step == schedule(rank).steps()) return;
  own.step = schedule(rank).step(own.next_step++);
  own.begin = own.next_begin;
  if (own.step->barrier) {
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
  const algorithms::Step& step = current_step(rank);
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
    const algorithms::Transfer send = step.sends[i];
    Open& both = open(rank, send.peer);
    fill_slot(both.send, rank, send.peer, i);
    if (both.receive == 0) continue;
    match(rank, send, send.peer, current_step(send.peer).receives[both.receive - 1], both);
  }
  for (std::size_t i = 0; i < step.receives.size(); ++i) {
    const algorithms::Transfer receive = step.receives[i];
    Open& both = open(receive.peer, rank);
    fill_slot(both.receive, rank, receive.peer, i);
    if (take_token(receive.peer, rank, both) || both.send == 0) continue;
    match(receive.peer, current_step(receive.peer).sends[both.send - 1], rank, receive, both);
  }
  if (step.sends.empty() && step.receives.empty()) ready_.push_back(rank);
}

/// Adds places for the rounds of the step's messages; the step has just begun.
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
    Open& both = open(rank, peer);
    if (both.receive != 0) take_token(rank, peer, both);
  }
  ready_.push_back(rank);
}

/// Matches the open receive with a token that was left, if there is one and the receive is of a
/// token. Returns whether it did.
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

// Matches the open send of a pair of ranks with the open receive. Each rank has one step open, and
// messages of a pair do not overtake each other, but for tokens and blocks. The receive waits for
// no token that was left: it would have taken that when it opened, or when the token was sent.
void SymbolicRun::match(int from, const algorithms::Transfer& send, int to,
                        const algorithms::Transfer& receive, Open& both) {
  if (!std::ranges::equal(send.blocks, receive.blocks)) {
    fail("rank {} in step {} sends other blocks to {} than that one receives in its step {}", from,
         step_of(from), to, step_of(to));
  }
  const int first_here = schedule(from).scratch_first_block;
  const int first_there = schedule(to).scratch_first_block;
  if (!messages::lies_alike(send, first_here, first_there)) {
    fail(
        "rank {} in step {} sends blocks to {} that lie in another order there: "
        "scratch_first_block is {} and {}",
        from, step_of(from), to, first_here, first_there);
  }
  note_round(from, both.send - 1, to, both.receive - 1);
  holdings_.pass(from, send, to, both.receive - 1);
  both = {};
  for (const int rank : {from, to}) {
    if (--state(rank).open == 0) ready_.push_back(rank);
  }
}

void SymbolicRun::note_round(int from, std::size_t send, int to, std::size_t receive) {
  if (rounds_ == nullptr) return;
  const std::size_t round = std::max(state(from).begin, state(to).begin);
  for (const int rank : {from, to}) {
    state(rank).next_begin = std::max(state(rank).next_begin, round + 1);
  }
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
    const algorithms::Step& step = current_step(rank);
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
