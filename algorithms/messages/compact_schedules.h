// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/schedule.h"
#include "algorithms/symmetry.h"

namespace gatherbench::messages {

/// The schedules of all ranks as what they cost: peers and bytes, without blocks.
class CompactSchedules {
 public:
  /// Takes the schedules of all ranks, in rank order. Throws std::invalid_argument if a message has
  /// one end. With `further_messages` the runs of blocks of a transfer are counted, otherwise each
  /// transfer counts as one.
  CompactSchedules(std::span<const algorithms::Schedule> schedules, const TransferBytes& bytes,
                   bool further_messages = false);
  /// Makes the schedules of an algorithm that can run with this problem; blocks are whole and of
  /// one byte if the problem has no block sizes. The first schedules stand for all if these are
  /// alike (Symmetry), all blocks are equal, no step leaves tokens and runs are not counted.
  /// Otherwise all are made, one after the other unless the algorithm makes them together.
  static CompactSchedules of(const algorithms::Algorithm& algorithm,
                             const algorithms::Problem& problem, bool further_messages = false);

  /// Returns about how many bytes these schedules, and what is kept of each message while messages
  /// are timed, will take. It counts from rank 0's schedule. The algorithm must be able to run.
  static std::int64_t expected_bytes(const algorithms::Algorithm& algorithm,
                                     const algorithms::Problem& problem,
                                     bool further_messages = false);

  /// A range of positions of steps, sends or receives, counted over all schedules.
  struct Positions {
    std::size_t first;
    std::size_t last;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] Positions steps(int rank) const {
    const std::size_t place = place_of(rank);
    return {first_step_[place], first_step_[place + 1]};
  }
  /// Returns how many of the rank's first steps can run before it arrives.
  [[nodiscard]] std::size_t background_steps(int rank) const { return background_[place_of(rank)]; }
  [[nodiscard]] bool barrier(std::size_t step) const { return barrier_[step] != 0; }
  /// Returns true if the step's sends are tokens that it leaves on their way.
  [[nodiscard]] bool leaves(std::size_t step) const { return leaves_[step] != 0; }
  [[nodiscard]] Positions sends(std::size_t step) const {
    return {first_send_[step], first_send_[step + 1]};
  }
  [[nodiscard]] Positions receives(std::size_t step) const {
    return {first_receive_[step], first_receive_[step + 1]};
  }

  /// One message: its number and its ends. `receive` is the position that tells what it carries.
  struct Message {
    std::size_t number;  ///< from 0 to messages() of all ranks
    std::size_t receive;
    int sender;
    int receiver;
  };
  [[nodiscard]] Message message_sent(int rank, std::size_t send) const {
    const int receiver = peer(rank, receiver_[send]);
    const std::size_t receive =
        is_ascending() ? place_among_others(rank, receiver) : received_as_[send];
    return {number(receiver, receive), receive, rank, receiver};
  }
  /// Returns how many messages the rank sends before this step.
  [[nodiscard]] std::uint32_t sends_before(int rank, std::size_t step) const {
    return first_send_[step] - first_send_[steps(rank).first];
  }
  /// Returns the message that the rank sends after `turn` others.
  [[nodiscard]] Message message_of_turn(int rank, std::uint32_t turn) const {
    return message_sent(rank, first_send_[steps(rank).first] + turn);
  }
  [[nodiscard]] Message message_received(int rank, std::size_t receive) const {
    return {number(rank, receive), receive, peer(rank, sender_[receive]), rank};
  }
  [[nodiscard]] std::size_t messages() const {
    return sender_.size() * static_cast<std::size_t>(alike_.each());
  }
  [[nodiscard]] std::int64_t bytes(const Message& message) const { return bytes_[message.receive]; }
  /// Returns the number of runs of blocks in the message after the first; 0 if none are counted.
  [[nodiscard]] std::int32_t further_messages(const Message& message) const {
    return further_.empty() ? 0 : further_[message.receive];
  }
  /// Returns true if the receiver combines the message with what it has.
  [[nodiscard]] bool is_combined(const Message& message) const {
    return !combined_.empty() && combined_[message.receive] != 0;
  }
  /// Returns true if the sender does not wait for the message to end.
  [[nodiscard]] bool is_left(const Message& message) const {
    return !left_.empty() && left_[message.receive] != 0;
  }
  /// Returns how many messages the sender sends before this one.
  [[nodiscard]] std::uint32_t turn(const Message& message) const {
    return is_ascending()
               ? static_cast<std::uint32_t>(place_among_others(message.receiver, message.sender))
               : turn_[message.receive];
  }

  /// Returns true if no step of any rank has more than one send and one receive, or leaves tokens.
  [[nodiscard]] bool is_one_to_one() const { return one_to_one_; }
  /// Returns true if no rank receives from two others, and no step leaves tokens.
  [[nodiscard]] bool has_one_sender_each() const {
    // A message that is left on its way may meet one that is sent later.
    return one_sender_each_ && !leaves_any_;
  }
  /// Returns the rank from which the library's broadcast follows the steps; none: there is no such
  /// broadcast.
  [[nodiscard]] std::optional<int> broadcast_root() const { return broadcast_root_; }
  /// Returns the bytes that each rank combines after its last step.
  [[nodiscard]] std::int64_t combined_at_end() const { return combined_at_end_; }

 private:
  /// The sends of all ranks, sorted by receiver.
  struct Sends {
    std::vector<std::uint32_t> first_to;  // of each receiver the first send to it, and the end
    std::vector<std::uint32_t> send;
    std::vector<std::int32_t> sender;
  };

  explicit CompactSchedules(int ranks) : ranks_(ranks) {}
  void add(const algorithms::Schedule& schedule, const TransferBytes& bytes, bool further_messages);
  void add_step(const algorithms::Step& step, const TransferBytes& bytes);
  void add_receive(const algorithms::Transfer& transfer, std::int64_t bytes);
  void add_further(const algorithms::Schedule& schedule, int segments);
  void end_of_schedules();
  void match_alike();
  void match_all();
  [[nodiscard]] Sends sends_by_receiver() const;
  void sort_receives(int rank, std::vector<std::uint32_t>& receives) const;
  void mark_left();
  void count_turns();
  [[nodiscard]] bool is_ascending() const {
    return alike_.symmetry() == algorithms::Symmetry::ascending;
  }
  /// Returns the place of a rank in the ascending list of the ranks that are not `other`.
  [[nodiscard]] static std::size_t place_among_others(int rank, int other) {
    return static_cast<std::size_t>(rank < other ? rank : rank - 1);
  }
  [[nodiscard]] std::size_t place_of(int rank) const {
    return static_cast<std::size_t>(alike_.of(rank));
  }
  [[nodiscard]] int peer(int rank, int in_schedule) const { return alike_.peer(rank, in_schedule); }
  [[nodiscard]] std::size_t number(int rank, std::size_t receive) const {
    // Ranks that are in one step are neighbours in memory.
    return receive * static_cast<std::size_t>(alike_.each()) +
           static_cast<std::size_t>(alike_.group(rank));
  }

  int ranks_;
  algorithms::Representatives alike_ = algorithms::Representatives::none(ranks_);
  bool one_to_one_ = true;
  bool one_sender_each_ = true;  // but for what is left
  bool leaves_any_ = false;
  std::optional<int> broadcast_root_;
  std::int64_t combined_at_end_ = 0;
  std::vector<std::size_t> first_step_;    // of each schedule, and the end
  std::vector<std::size_t> background_;    // steps, of each schedule
  std::vector<std::uint8_t> barrier_;      // of each step
  std::vector<std::uint8_t> leaves_;       // of each step
  std::vector<std::uint32_t> first_send_;  // of each step, and the end
  std::vector<std::uint32_t> first_receive_;
  std::vector<std::int32_t> receiver_;      // of each send
  std::vector<std::uint32_t> received_as_;  // of each send: the receive at its other end
  std::vector<std::int32_t> sender_;        // of each receive, as what follows
  std::vector<std::int64_t> bytes_;
  std::vector<std::int32_t> further_;   // empty: none
  std::vector<std::uint8_t> combined_;  // empty: none
  std::vector<std::uint32_t> turn_;
  std::vector<std::uint8_t> is_token_sent_;      // of each send, and of each receive; until all are
  std::vector<std::uint8_t> is_token_received_;  // matched
  std::vector<std::uint8_t> left_;               // empty: none is
};

}  // namespace gatherbench::messages
