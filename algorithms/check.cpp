// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>

namespace gatherbench {
namespace {

/// Thrown inside this file only: a fault ends the proof wherever it is found.
struct Fault {
  std::string text;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Fault{fmt::format(format, std::forward<Args>(args)...)};
}

/// Runs of blocks that lie together in the buffer that the schedule works in.
std::int64_t runs(const Transfer& transfer, int scratch_first_block, int ranks) {
  std::int64_t count = 0;
  int expected = -1;
  for (const BlockRange& range : transfer.blocks) {
    const int place = (range.first - scratch_first_block + ranks) % ranks;
    if (place != expected) ++count;
    expected = place + range.count;
  }
  return count;
}

class Simulation {
 public:
  explicit Simulation(std::span<const Schedule> schedules)
      : schedules_(schedules),
        ranks_(static_cast<int>(schedules.size())),
        states_(schedules.size()),
        blocks_(schedules.size() * schedules.size(), Block::absent),
        sent_(blocks_.size(), 0),
        awaited_(blocks_.size(), 0) {
    for (int rank = 0; rank < ranks_; ++rank) block(rank, rank) = Block::held;
  }

  CheckResult run() {
    CheckResult result;
    try {
      for (int rank = 0; rank < ranks_; ++rank) begin_next_step(rank);
      while (!ready_.empty()) {
        const int rank = ready_.front();
        ready_.pop_front();
        finish_step(rank);
        begin_next_step(rank);
      }
      require_all_finished();
    } catch (const Fault& fault) {
      result.fault = fault.text;
    }
    for (const Schedule& schedule : schedules_) {
      result.steps = std::max(result.steps, static_cast<std::int64_t>(schedule.steps()));
    }
    result.messages = messages_;
    return result;
  }

 private:
  enum class Block : char { absent, coming, held };
  struct State {
    std::size_t next_step = 0;
    std::size_t open = 0;  // transfers of the current step that have not met their other half
  };

  [[nodiscard]] std::size_t pair(int from, int to) const {
    return static_cast<std::size_t>(from) * schedules_.size() + static_cast<std::size_t>(to);
  }
  Block& block(int rank, int number) { return blocks_[pair(rank, number)]; }
  [[nodiscard]] const Schedule& schedule(int rank) const {
    return schedules_[static_cast<std::size_t>(rank)];
  }
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] Step current_step(int rank) const {
    return schedule(rank).step(states_[static_cast<std::size_t>(rank)].next_step - 1);
  }

  void begin_next_step(int rank) {
    State& own = state(rank);
    if (own.next_step == schedule(rank).steps()) return;
    ++own.next_step;
    const Step step = current_step(rank);
    own.open = step.sends.size() + step.receives.size();
    for (std::size_t i = 0; i < step.sends.size(); ++i) require_sendable(rank, step.sends[i]);
    for (std::size_t i = 0; i < step.receives.size(); ++i) expect(rank, step.receives[i]);
    for (std::size_t i = 0; i < step.sends.size(); ++i) post_send(rank, step.sends[i], i);
    for (std::size_t i = 0; i < step.receives.size(); ++i) post_receive(rank, step.receives[i], i);
    if (step.sends.empty() && step.receives.empty()) ready_.push_back(rank);
  }

  void require_legal(int rank, const Transfer& transfer) const {
    const std::size_t step = states_[static_cast<std::size_t>(rank)].next_step - 1;
    if (transfer.peer < 0 || transfer.peer >= ranks_ || transfer.peer == rank) {
      fail("rank {} in step {}: peer {} is no other rank", rank, step, transfer.peer);
    }
    for (const BlockRange& range : transfer.blocks) {
      if (range.count < 1 || range.first < 0 || range.first > ranks_ - range.count) {
        fail("rank {} in step {}: blocks [{}, +{}) do not exist", rank, step, range.first,
             range.count);
      }
    }
  }

  void require_sendable(int rank, const Transfer& transfer) {
    require_legal(rank, transfer);
    for (const BlockRange& range : transfer.blocks) {
      for (int b = range.first; b < range.first + range.count; ++b) {
        if (block(rank, b) != Block::held) {
          fail("rank {} in step {} sends block {} to {} but does not hold it", rank,
               state(rank).next_step - 1, b, transfer.peer);
        }
      }
    }
    messages_ += runs(transfer, schedule(rank).scratch_first_block, ranks_);
  }

  void expect(int rank, const Transfer& transfer) {
    require_legal(rank, transfer);
    for (const BlockRange& range : transfer.blocks) {
      for (int b = range.first; b < range.first + range.count; ++b) {
        if (block(rank, b) != Block::absent) {
          fail("rank {} in step {} receives block {} from {} a second time", rank,
               state(rank).next_step - 1, b, transfer.peer);
        }
        block(rank, b) = Block::coming;
      }
    }
  }

  void post_send(int rank, const Transfer& transfer, std::size_t index) {
    post(sent_[pair(rank, transfer.peer)], rank, transfer.peer, index);
    match(rank, transfer.peer);
  }

  void post_receive(int rank, const Transfer& transfer, std::size_t index) {
    post(awaited_[pair(transfer.peer, rank)], rank, transfer.peer, index);
    match(transfer.peer, rank);
  }

  void post(std::uint32_t& slot, int rank, int peer, std::size_t index) {
    if (slot != 0) {
      fail("rank {} in step {} names peer {} twice in one direction", rank,
           state(rank).next_step - 1, peer);
    }
    slot = static_cast<std::uint32_t>(index) + 1;
  }

  // Messages of a pair of ranks do not overtake each other, and each rank has one step open, so the
  // open send of a pair meets its open receive.
  void match(int from, int to) {
    std::uint32_t& sent = sent_[pair(from, to)];
    std::uint32_t& awaited = awaited_[pair(from, to)];
    if (sent == 0 || awaited == 0) return;
    const Transfer send = current_step(from).sends[sent - 1];
    const Transfer receive = current_step(to).receives[awaited - 1];
    if (!std::ranges::equal(send.blocks, receive.blocks)) {
      fail("rank {} in step {} sends other blocks to {} than that one receives in its step {}",
           from, state(from).next_step - 1, to, state(to).next_step - 1);
    }
    sent = awaited = 0;
    for (const int rank : {from, to}) {
      if (--state(rank).open == 0) ready_.push_back(rank);
    }
  }

  void finish_step(int rank) {
    const Step step = current_step(rank);
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      for (const BlockRange& range : step.receives[i].blocks) {
        for (int b = range.first; b < range.first + range.count; ++b) block(rank, b) = Block::held;
      }
    }
  }

  void require_all_finished() {
    for (int rank = 0; rank < ranks_; ++rank) {
      if (state(rank).open == 0) continue;
      const Step step = current_step(rank);
      const std::size_t number = state(rank).next_step - 1;
      for (std::size_t i = 0; i < step.sends.size(); ++i) {
        if (sent_[pair(rank, step.sends[i].peer)] != 0) {
          fail("rank {} in step {} waits for ever for {} to receive", rank, number,
               step.sends[i].peer);
        }
      }
      for (std::size_t i = 0; i < step.receives.size(); ++i) {
        if (awaited_[pair(step.receives[i].peer, rank)] != 0) {
          fail("rank {} in step {} waits for ever for {} to send", rank, number,
               step.receives[i].peer);
        }
      }
    }
    for (int rank = 0; rank < ranks_; ++rank) {
      for (int b = 0; b < ranks_; ++b) {
        if (block(rank, b) != Block::held) fail("rank {} never receives block {}", rank, b);
      }
    }
  }

  std::span<const Schedule> schedules_;
  int ranks_;
  std::vector<State> states_;
  std::vector<Block> blocks_;           // [rank][block]
  std::vector<std::uint32_t> sent_;     // [from][to]: 1 + index of the open send, 0 if none
  std::vector<std::uint32_t> awaited_;  // [from][to]: 1 + index of the open receive, 0 if none
  std::deque<int> ready_;               // ranks whose current step is complete
  std::int64_t messages_ = 0;
};

}  // namespace

std::vector<Schedule> make_schedules(const Algorithm& algorithm, int ranks) {
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) schedules.push_back(algorithm.schedule({rank, ranks}));
  return schedules;
}

CheckResult check(std::span<const Schedule> schedules) { return Simulation(schedules).run(); }

CheckResult check(const Algorithm& algorithm, int ranks) {
  const std::vector<Schedule> schedules = make_schedules(algorithm, ranks);
  CheckResult result = check(schedules);
  if (!result.fault.empty()) return result;
  const std::int64_t steps = algorithm.steps.at(ranks);
  const std::int64_t messages = algorithm.messages.at(ranks);
  if (result.steps != steps) {
    result.fault = fmt::format("takes {} steps where its row states {} = {}", result.steps,
                               algorithm.steps.text, steps);
  } else if (result.messages != messages) {
    result.fault = fmt::format("sends {} messages where its row states {} = {}", result.messages,
                               algorithm.messages.text, messages);
  }
  return result;
}

}  // namespace gatherbench
