// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/compact_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "algorithms/messages/transfer_bytes.h"

namespace gatherbench::messages {
namespace {

TransferBytes bytes_of(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                       const algorithms::Segmentation& segmentation) {
  const int blocks = blocks_moved(algorithm, problem.ranks);
  if (problem.counts_blocks() && !algorithm.cuts_blocks) return TransferBytes(blocks);
  return {sizes_of(problem, blocks), segmentation};
}

/// Returns the number of transfers of one rank. Of each step the direction that has more counts.
std::int64_t transfers_of(const algorithms::Schedule& schedule) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    count += std::max(step.sends.size(), step.receives.size());
  }
  return static_cast<std::int64_t>(count);
}

bool all_equal(const auto& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
}

bool is_one_to_one(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    if (step.sends.size() > 1 || step.receives.size() > 1 || step.leaves) return false;
  }
  return true;
}

bool leaves_any(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).leaves) return true;
  }
  return false;
}

/// Returns the ranks whose schedules have to be made. `first` is that of rank 0.
algorithms::Representatives representatives_of(const algorithms::Algorithm& algorithm,
                                               const algorithms::Problem& problem,
                                               const algorithms::Schedule& first,
                                               bool further_messages) {
  if (further_messages || leaves_any(first) || !all_equal(problem.block_bytes)) {
    return algorithms::Representatives::none(problem.ranks);
  }
  return algorithms::Representatives::of(algorithm, problem);
}

/// Returns what to throw for a transfer that a rank waits for, and its peer does not know of.
std::invalid_argument one_end(int from, int to) {
  return std::invalid_argument(
      fmt::format("rank {} and rank {} do not agree on their messages", from, to));
}

}  // namespace

void CompactSchedules::add(const algorithms::Schedule& schedule, const TransferBytes& bytes,
                           bool further_messages) {
  first_step_.push_back(barrier_.size());
  background_.push_back(schedule.background_steps());
  if (schedule.broadcast_at_end) broadcast_root_ = schedule.broadcast_root;
  combined_at_end_ = bytes.combined_at_end(schedule);
  one_to_one_ = one_to_one_ && messages::is_one_to_one(schedule);
  const std::size_t first_receive = sender_.size();
  for (std::size_t s = 0; s < schedule.steps(); ++s) add_step(schedule.step(s), bytes);
  if (further_messages) add_further(schedule, bytes.segments());
  one_sender_each_ = one_sender_each_ && all_equal(std::span(sender_).subspan(first_receive));
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (sender_.size() > most || receiver_.size() > most) {
    throw std::invalid_argument(fmt::format("there are more than {} messages", most));
  }
}

void CompactSchedules::add_step(const algorithms::Step& step, const TransferBytes& bytes) {
  barrier_.push_back(step.barrier ? 1 : 0);
  leaves_.push_back(step.leaves ? 1 : 0);
  leaves_any_ = leaves_any_ || step.leaves;
  first_send_.push_back(static_cast<std::uint32_t>(receiver_.size()));
  first_receive_.push_back(static_cast<std::uint32_t>(sender_.size()));
  for (const algorithms::Transfer transfer : step.sends) {
    receiver_.push_back(transfer.peer);
    is_token_sent_.push_back(transfer.blocks.empty() ? 1 : 0);
  }
  for (const algorithms::Transfer transfer : step.receives) {
    add_receive(transfer, bytes.of(transfer));
  }
}

void CompactSchedules::add_receive(const algorithms::Transfer& transfer, std::int64_t bytes) {
  sender_.push_back(transfer.peer);
  is_token_received_.push_back(transfer.blocks.empty() ? 1 : 0);
  bytes_.push_back(bytes);
  if (transfer.incoming == algorithms::Incoming::store) return;
  combined_.resize(bytes_.size(), 0);
  combined_.back() = 1;
}

/// Adds the number of runs of blocks after the first, for each transfer that the schedule receives.
void CompactSchedules::add_further(const algorithms::Schedule& schedule, int segments) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    for (const algorithms::Transfer transfer : schedule.step(s).receives) {
      const std::int64_t messages =
          count_messages(transfer, schedule.scratch_first_block, segments);
      further_.push_back(static_cast<std::int32_t>(messages - 1));
    }
  }
}

void CompactSchedules::end_of_schedules() {
  first_step_.push_back(barrier_.size());
  first_send_.push_back(static_cast<std::uint32_t>(receiver_.size()));
  first_receive_.push_back(static_cast<std::uint32_t>(sender_.size()));
  if (!combined_.empty()) combined_.resize(sender_.size(), 0);
  received_as_.resize(receiver_.size());
  if (receiver_.size() != sender_.size()) throw std::invalid_argument("a message has one end");
  if (alike_.count() == ranks_) {
    match_all();
  } else if (!is_ascending()) {
    match_alike();
  }
  is_token_sent_ = is_token_received_ = {};
  if (leaves_any_) mark_left();
  count_turns();
}

void CompactSchedules::mark_left() {
  left_.resize(sender_.size());
  for (std::size_t step = 0; step < leaves_.size(); ++step) {
    if (leaves_[step] == 0) continue;
    for (std::uint32_t i = first_send_[step]; i < first_send_[step + 1]; ++i) {
      left_[received_as_[i]] = 1;
    }
  }
}

void CompactSchedules::count_turns() {
  turn_.resize(sender_.size());
  if (is_ascending()) return;
  for (std::size_t place = 0; place + 1 < first_step_.size(); ++place) {
    const std::uint32_t first = first_send_[first_step_[place]];
    for (std::uint32_t i = first; i < first_send_[first_step_[place + 1]]; ++i) {
      turn_[received_as_[i]] = i - first;
    }
  }
}

/// Matches messages where the first ranks stand for all: what one of them sends to rank q is a
/// receive of q's representative, from the peer that stands there for the sender. Throws
/// std::invalid_argument if a message has one end.
void CompactSchedules::match_alike() {
  struct End {
    int receiver;  // both as the receiver's representative knows them
    int sender;
    std::uint32_t number;
    auto operator<=>(const End&) const = default;
  };
  std::vector<End> sends;
  std::vector<End> receives;
  for (int rank = 0; rank < alike_.count(); ++rank) {
    const Positions all = steps(rank);
    for (std::uint32_t i = first_send_[all.first]; i < first_send_[all.last]; ++i) {
      sends.push_back({alike_.of(receiver_[i]), alike_.as_seen_from(receiver_[i], rank), i});
    }
    for (std::uint32_t i = first_receive_[all.first]; i < first_receive_[all.last]; ++i) {
      receives.push_back({rank, sender_[i], i});
    }
  }
  std::ranges::sort(sends);
  std::ranges::sort(receives);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const auto& [receiver, sender, number] = sends[i];
    if (std::pair(receiver, sender) != std::pair(receives[i].receiver, receives[i].sender)) {
      throw one_end(sender, receiver);
    }
    received_as_[number] = receives[i].number;
  }
}

/// Returns the sends by receiver, and those to one receiver in the order of their senders. The
/// tokens of a sender come last if some are left on their way, as these may be overtaken.
CompactSchedules::Sends CompactSchedules::sends_by_receiver() const {
  Sends all{std::vector<std::uint32_t>(static_cast<std::size_t>(ranks_) + 1, 0),
            std::vector<std::uint32_t>(receiver_.size()),
            std::vector<std::int32_t>(receiver_.size())};
  for (const std::int32_t to : receiver_) ++all.first_to[static_cast<std::size_t>(to) + 1];
  std::partial_sum(all.first_to.begin(), all.first_to.end(), all.first_to.begin());
  std::vector<std::uint32_t> next = all.first_to;
  const auto is_block = [&](std::uint32_t i) { return !leaves_any_ || is_token_sent_[i] == 0; };
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto put = [&](std::uint32_t i) {
      const std::uint32_t place = next[static_cast<std::size_t>(receiver_[i])]++;
      all.send[place] = i;
      all.sender[place] = rank;
    };
    const auto own =
        std::views::iota(first_send_[steps(rank).first], first_send_[steps(rank).last]);
    std::ranges::for_each(own | std::views::filter(is_block), put);
    if (leaves_any_) std::ranges::for_each(own | std::views::filter(std::not_fn(is_block)), put);
  }
  return all;
}

/// Fills `receives` with the rank's receives, in the order in which sends_by_receiver() has the
/// sends to it.
void CompactSchedules::sort_receives(int rank, std::vector<std::uint32_t>& receives) const {
  const Positions all = steps(rank);
  receives.resize(first_receive_[all.last] - first_receive_[all.first]);
  std::iota(receives.begin(), receives.end(), first_receive_[all.first]);
  std::ranges::stable_sort(receives, {}, [&](std::uint32_t i) {
    return std::pair{sender_[i], leaves_any_ ? is_token_received_[i] : std::uint8_t{0}};
  });
}

/// Matches messages where each rank has its own schedule: those from one rank to another come in
/// the order in which they are sent, but for tokens that are left on their way. Throws
/// std::invalid_argument if a message has one end.
void CompactSchedules::match_all() {
  const Sends sends = sends_by_receiver();
  std::vector<std::uint32_t> receives;
  for (int rank = 0; rank < ranks_; ++rank) {
    sort_receives(rank, receives);
    const std::uint32_t first = sends.first_to[static_cast<std::size_t>(rank)];
    if (sends.first_to[static_cast<std::size_t>(rank) + 1] - first != receives.size()) {
      throw std::invalid_argument(
          fmt::format("rank {} receives another number of messages than it is sent", rank));
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (sends.sender[first + i] != sender_[receives[i]]) {
        throw one_end(sends.sender[first + i], rank);
      }
      received_as_[sends.send[first + i]] = receives[i];
    }
  }
}

CompactSchedules::CompactSchedules(std::span<const algorithms::Schedule> schedules,
                                   const TransferBytes& bytes, bool further_messages)
    : ranks_(static_cast<int>(schedules.size())) {
  for (const algorithms::Schedule& schedule : schedules) add(schedule, bytes, further_messages);
  end_of_schedules();
}

std::int64_t CompactSchedules::expected_bytes(const algorithms::Algorithm& algorithm,
                                              const algorithms::Problem& problem,
                                              bool further_messages) {
  // A network without queues keeps the time of each message's first end, and ports keep a byte.
  constexpr std::int64_t timed = sizeof(double);
  // The vectors of sends and receives, those that match them, and room to grow: `linear` of 2048
  // and 4096 ranks takes 100 to 107 bytes a message.
  constexpr std::int64_t kept = 96;
  // Rank 0 may have more to do than others, and a formula counts runs of blocks.
  const algorithms::Schedule first = algorithms::ScheduleMaker(algorithm, problem).of_rank(0);
  const std::int64_t at_most = transfers_of(first) * problem.ranks;
  const algorithms::Amount formula =
      algorithm.messages ? algorithm.messages->at(problem) : std::nullopt;
  const std::int64_t messages = std::min(at_most, formula.value_or(at_most));
  const int made = representatives_of(algorithm, problem, first, further_messages).count();
  return messages * timed + messages * kept * (made == 1 ? 0 : made) / problem.ranks;
}

CompactSchedules CompactSchedules::of(const algorithms::Algorithm& algorithm,
                                      const algorithms::Problem& problem, bool further_messages) {
  further_messages = further_messages && !algorithm.kind->packs;
  const algorithms::ScheduleMaker maker(algorithm, problem);
  if (algorithm.schedules()->of_all != nullptr) {
    const std::vector<algorithms::Schedule> all = maker.of_all();
    return {all, bytes_of(algorithm, problem, all.front().segmentation), further_messages};
  }
  CompactSchedules schedules(problem.ranks);
  const algorithms::Schedule first = maker.of_rank(0);
  const TransferBytes bytes = bytes_of(algorithm, problem, first.segmentation);
  schedules.alike_ = representatives_of(algorithm, problem, first, further_messages);
  schedules.add(first, bytes, further_messages);
  for (int rank = 1; rank < schedules.alike_.count(); ++rank) {
    schedules.add(maker.of_rank(rank), bytes, further_messages);
  }
  schedules.end_of_schedules();
  return schedules;
}

}  // namespace gatherbench::messages
