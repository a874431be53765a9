// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"

namespace gatherbench::proof {

/// Ends a symbolic run wherever it is found; run() catches it.
struct Fault {
  std::string text;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Fault{fmt::format(format, std::forward<Args>(args)...)};
}

/// The place of a fault.
struct RankStep {
  int rank;
  std::size_t step;
};

/// The ranks whose contributions each rank has combined, of each block. Blocks are segments where
/// the schedules cut them.
class Contributions {
 public:
  /// A set is a row of bits, one for each rank.
  using Set = std::vector<std::uint64_t>;

  /// Makes all sets empty. With `keeps_order`, sets that are combined have to be neighbours, in
  /// order.
  Contributions(int ranks, std::size_t blocks, bool keeps_order);
  /// Adds the rank's own contribution to what it has of these blocks.
  void begin_with(int rank, const algorithms::BlockRange& blocks);
  /// Returns the sets of the blocks that the rank sends, in their order.
  [[nodiscard]] std::vector<Set> of(int rank, const algorithms::Transfer& transfer) const;
  /// Empties the rank's sets of the blocks that it sent.
  void hand_over(int rank, const algorithms::Transfer& transfer);
  /// Stores or combines the sets that come to the rank. Returns an empty text, or why they must not
  /// be combined.
  [[nodiscard]] std::string take(int rank, const algorithms::Transfer& transfer,
                                 const std::vector<Set>& sets);
  /// Returns true if all ranks have contributed to what the rank has of the block.
  [[nodiscard]] bool is_whole(int rank, int block) const;

 private:
  [[nodiscard]] std::span<std::uint64_t> set(int rank, int block);
  [[nodiscard]] std::span<const std::uint64_t> set(int rank, int block) const;
  [[nodiscard]] std::string combine(std::span<std::uint64_t> own, const Set& more,
                                    algorithms::Incoming incoming) const;

  int ranks_;
  std::size_t blocks_;
  bool keeps_order_;
  std::size_t words_;                // of a set
  std::vector<std::uint64_t> bits_;  // [rank][block][word]
};

/// The part of each block that each rank has, from what its collective says it has before to what
/// it has to have after. Blocks are segments where the schedules cut them. A step against the rules
/// throws a Fault.
class Holdings {
 public:
  Holdings(std::span<const algorithms::Schedule> schedules, const Assumptions& assumptions);

  /// Begins the rank's step: what it sends leaves, and what it receives is on its way.
  void begin_step(const RankStep& at, const algorithms::Step& step);
  /// Gives the blocks that `from` sends now to the receive of that number in the step of `to`.
  void pass(int from, const algorithms::Transfer& send, int to, std::size_t receive);
  /// Ends the rank's step, all messages of which have passed.
  void finish_step(const RankStep& at, const algorithms::Step& step);
  /// Gives all blocks to all ranks. The root must have them all.
  void broadcast(int root);
  void require_goal();

  /// Returns the number of messages of all steps that have begun; bytes() returns their bytes.
  [[nodiscard]] std::int64_t messages() const { return messages_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  /// The contributions to a block that a rank has. `combining` and `leaving` are those in a step
  /// that combines or sends them; `sent` are those that were sent, and that the rank keeps until
  /// others are stored in their place.
  enum class Block : char { absent, coming, coming_again, held, combining, leaving, sent };

  [[nodiscard]] std::size_t blocks() const { return segments_.bytes.size(); }
  [[nodiscard]] static bool is_there(Block one) { return one == Block::held || one == Block::sent; }
  /// Returns the rank's state of the blocks of a range that exists.
  std::span<Block> held_by(int rank, const algorithms::BlockRange& range) {
    return std::span(blocks_).subspan(
        static_cast<std::size_t>(rank) * blocks() + static_cast<std::size_t>(range.first),
        static_cast<std::size_t>(range.count));
  }
  /// Calls visit(number, what the rank has of that block) for all blocks of the ranges.
  template <typename Visit>
  void for_each_block(int rank, std::span<const algorithms::BlockRange> ranges, Visit visit) {
    for (const algorithms::BlockRange& range : ranges) {
      int number = range.first;
      for (Block& one : held_by(rank, range)) visit(number++, one);
    }
  }
  void fill(int rank, const algorithms::Transfer& transfer, Block with);
  /// Returns the segments into which schedules cut these blocks.
  [[nodiscard]] algorithms::BlockRange segments_in(const algorithms::BlockRange& range) const;

  void require_legal(const RankStep& at, const algorithms::Transfer& transfer) const;
  void send(const RankStep& at, const algorithms::Transfer& transfer);
  void expect(const RankStep& at, const algorithms::Step& step,
              const algorithms::Transfer& transfer);
  void expect_contributions(const RankStep& at, const algorithms::Transfer& transfer);
  void require_not_sent(const RankStep& at, const algorithms::Step& step);
  void finish_contributions(const RankStep& at, const algorithms::Step& step);

  std::span<const algorithms::Schedule> schedules_;
  int ranks_;
  bool moves_twice_;
  const collectives::Collective& collective_;
  int root_;
  algorithms::Segments segments_;
  std::vector<Block> blocks_;                   // [rank][block]
  std::optional<Contributions> contributions_;  // where the collective combines any
  std::vector<std::vector<std::vector<Contributions::Set>>> incoming_;  // of the rank's receives
  std::int64_t messages_ = 0;
  std::int64_t bytes_ = 0;
};

/// A run of all ranks at once, step by step, each as far as it gets. It knows which sends and
/// receives wait for their other half, and by Holdings, who has which block.
class SymbolicRun {
 public:
  /// Takes the schedules. run() writes the rounds that it finds into `rounds`, if that is given,
  /// which must have a place for each rank.
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
    std::optional<algorithms::Step> step;  // the current one
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
  [[nodiscard]] const algorithms::Step& current_step(int rank) const {
    return *states_[static_cast<std::size_t>(rank)].step;
  }
  [[nodiscard]] RankStep place_of(int rank) const { return {rank, step_of(rank)}; }
  /// Returns true if the schedule is equal to rank 0's in what all ranks' have in common.
  [[nodiscard]] bool is_like_rank_0s(const algorithms::Schedule& other) const;
  /// Checks what the rank combines after its last step.
  void require_contributions(int rank) const;

  void begin_next_step(int rank);
  void wait_at_barrier(int rank);
  void post(int rank);
  void add_rounds(int rank, const algorithms::Step& step);
  void fill_slot(std::uint32_t& slot, int rank, int peer, std::size_t index);
  void match(int from, const algorithms::Transfer& send, int to,
             const algorithms::Transfer& receive, Open& both);
  /// Notes the round in which a message passes, for the steps that its two ranks are in.
  void note_round(int from, std::size_t send, int to, std::size_t receive);
  void leave(int rank, const algorithms::Step& step);
  bool take_token(int from, int to, Open& both);
  void require_all_finished();
  void require_tokens_taken();

  std::span<const algorithms::Schedule> schedules_;
  int ranks_;
  bool combines_;
  Holdings holdings_;
  std::vector<State> states_;
  std::vector<Open> open_;                                   // [from][to]
  std::map<std::pair<int, int>, std::deque<Token>> tokens_;  // from, to: on their way
  std::vector<int> ready_;                                   // ranks whose current step is complete
  int at_barrier_ = 0;
  ProofResult result_;
  Rounds* rounds_;
};

}  // namespace gatherbench::proof
