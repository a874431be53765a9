// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/compact_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "algorithms/messages/message_count.h"

namespace gatherbench::messages {
namespace {

TransferBytes bytes_of(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                       const algorithms::Segmentation& segmentation) {
  const int blocks = algorithm.kind->blocks(problem.ranks);
  if (problem.counts_blocks() && !algorithm.cuts_blocks) return TransferBytes(blocks);
  return {sizes_of(problem, blocks), segmentation};
}

bool are_equal(std::span<const std::int64_t> block_bytes) {
  return std::ranges::adjacent_find(block_bytes, std::ranges::not_equal_to()) == block_bytes.end();
}

/// What is left on its way meets what is sent later.
bool leaves_tokens(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).leaves) return true;
  }
  return false;
}

bool is_one_to_one(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    if (step.sends.size() > 1 || step.receives.size() > 1 || step.leaves) return false;
  }
  return true;
}

/// A transfer that a rank waits for, and its peer does not know of.
std::invalid_argument one_end(int from, int to) {
  return std::invalid_argument(
      fmt::format("rank {} and rank {} do not agree on their messages", from, to));
}

}  // namespace

void CompactSchedules::add(const algorithms::Schedule& schedule, const TransferBytes& bytes,
                           bool further_messages) {
  first_step_.push_back(barrier_.size());
  background_.push_back(schedule.background_steps());
  broadcast_at_end_ = broadcast_at_end_ || schedule.broadcast_at_end;
  one_to_one_ = one_to_one_ && messages::is_one_to_one(schedule);
  const std::size_t first_receive = sender_.size();
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    barrier_.push_back(step.barrier ? 1 : 0);
    leaves_.push_back(step.leaves ? 1 : 0);
    first_send_.push_back(static_cast<std::uint32_t>(receiver_.size()));
    first_receive_.push_back(static_cast<std::uint32_t>(sender_.size()));
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      receiver_.push_back(step.sends[i].peer);
      is_token_sent_.push_back(step.sends[i].blocks.empty() ? 1 : 0);
    }
    for (std::size_t i = 0; i < step.receives.size(); ++i) {
      const algorithms::Transfer transfer = step.receives[i];
      sender_.push_back(transfer.peer);
      is_token_received_.push_back(transfer.blocks.empty() ? 1 : 0);
      bytes_.push_back(bytes.of(transfer));
      if (transfer.incoming != algorithms::Incoming::store) {
        combined_.resize(bytes_.size(), 0);
        combined_.back() = 1;
      }
      if (!further_messages) continue;
      const std::int64_t messages =
          count_messages(transfer, schedule.scratch_first_block, bytes.segments());
      further_.push_back(static_cast<std::int32_t>(messages - 1));
    }
  }
  const auto receives = std::span(sender_).subspan(first_receive);
  one_sender_each_ =
      one_sender_each_ && !leaves_tokens(schedule) &&
      std::ranges::adjacent_find(receives, std::ranges::not_equal_to()) == receives.end();
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (sender_.size() > most || receiver_.size() > most) {
    throw std::invalid_argument(fmt::format("there are more than {} messages", most));
  }
}

void CompactSchedules::end_of_schedules() {
  first_step_.push_back(barrier_.size());
  first_send_.push_back(static_cast<std::uint32_t>(receiver_.size()));
  first_receive_.push_back(static_cast<std::uint32_t>(sender_.size()));
  if (!combined_.empty()) combined_.resize(sender_.size(), 0);
  received_as_.resize(receiver_.size());
  if (receiver_.size() != sender_.size()) throw std::invalid_argument("a message has one end");
  if (is_one_for_all()) {
    match_alike();
  } else {
    match_all();
  }
  is_token_sent_ = is_token_received_ = {};
  if (leaves_any()) {
    left_.resize(sender_.size());
    for (std::size_t step = 0; step < leaves_.size(); ++step) {
      if (leaves_[step] == 0) continue;
      for (std::uint32_t i = first_send_[step]; i < first_send_[step + 1]; ++i) {
        left_[received_as_[i]] = 1;
      }
    }
  }
  turn_.resize(sender_.size());
  for (std::size_t place = 0; place + 1 < first_step_.size(); ++place) {
    const std::uint32_t first = first_send_[first_step_[place]];
    for (std::uint32_t i = first; i < first_send_[first_step_[place + 1]]; ++i) {
      turn_[received_as_[i]] = i - first;
    }
  }
}

/// What rank 0 sends to rank q, rank 0 receives from the rank to which it is what q is to rank 0.
void CompactSchedules::match_alike() {
  const auto order_of = [](const std::vector<std::int32_t>& peers, auto key) {
    std::vector<std::uint32_t> order(peers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key(peers[i]); });
    return order;
  };
  const auto mirrored = [&](std::int32_t peer) {
    return symmetry_ == algorithms::Symmetry::bitwise_xor ? peer : ranks_ - peer;
  };
  const auto sends = order_of(receiver_, mirrored);
  const auto receives = order_of(sender_, [](std::int32_t peer) { return peer; });
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (mirrored(receiver_[sends[i]]) != sender_[receives[i]]) {
      throw one_end(0, receiver_[sends[i]]);
    }
    received_as_[sends[i]] = receives[i];
  }
}

bool CompactSchedules::leaves_any() const { return std::ranges::find(leaves_, 1) != leaves_.end(); }

/// Messages of a pair come in the order in which they are sent, but for tokens that are left.
void CompactSchedules::match_all() {
  // All sends by receiver, and those to one in the order of their senders.
  std::vector<std::uint32_t> first_to(static_cast<std::size_t>(ranks_) + 1, 0);
  for (const std::int32_t to : receiver_) ++first_to[static_cast<std::size_t>(to) + 1];
  std::partial_sum(first_to.begin(), first_to.end(), first_to.begin());
  std::vector<std::uint32_t> next = first_to;
  std::vector<std::uint32_t> sends(receiver_.size());
  std::vector<std::int32_t> senders(receiver_.size());
  for (int rank = 0; rank < ranks_; ++rank) {
    const Positions all = steps(rank);
    for (std::uint32_t i = first_send_[all.first]; i < first_send_[all.last]; ++i) {
      const std::uint32_t place = next[static_cast<std::size_t>(receiver_[i])]++;
      sends[place] = i;
      senders[place] = rank;
    }
  }
  const bool overtakes = leaves_any();
  const auto of_receive = [&](std::uint32_t i) {
    return std::pair{sender_[i], overtakes ? is_token_received_[i] : std::uint8_t{0}};
  };
  std::vector<std::uint32_t> receives;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Positions all = steps(rank);
    const std::uint32_t first = first_receive_[all.first];
    const std::uint32_t count = first_receive_[all.last] - first;
    receives.resize(count);
    std::iota(receives.begin(), receives.end(), first);
    std::ranges::stable_sort(receives, {}, of_receive);
    const std::uint32_t first_send = first_to[static_cast<std::size_t>(rank)];
    if (overtakes) {
      const std::uint32_t behind = first_to[static_cast<std::size_t>(rank) + 1];
      for (std::uint32_t begin = first_send; begin < behind;) {
        std::uint32_t last = begin;
        while (last < behind && senders[last] == senders[begin]) ++last;
        std::stable_sort(sends.begin() + begin, sends.begin() + last,
                         [&](std::uint32_t a, std::uint32_t b) {
                           return is_token_sent_[a] < is_token_sent_[b];
                         });
        begin = last;
      }
    }
    if (first_to[static_cast<std::size_t>(rank) + 1] - first_send != count) {
      throw std::invalid_argument(
          fmt::format("rank {} receives another number of messages than it is sent", rank));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (senders[first_send + i] != sender_[receives[i]]) {
        throw one_end(senders[first_send + i], rank);
      }
      received_as_[sends[first_send + i]] = receives[i];
    }
  }
}

CompactSchedules::CompactSchedules(std::span<const algorithms::Schedule> schedules,
                                   const TransferBytes& bytes, bool further_messages)
    : ranks_(static_cast<int>(schedules.size())) {
  for (const algorithms::Schedule& schedule : schedules) add(schedule, bytes, further_messages);
  end_of_schedules();
}

CompactSchedules CompactSchedules::of(const algorithms::Algorithm& algorithm,
                                      const algorithms::Problem& problem, bool further_messages) {
  further_messages = further_messages && !algorithm.kind->packs;
  const algorithms::ScheduleMaker maker(algorithm, problem);
  if (algorithm.all_schedules != nullptr) {
    const std::vector<algorithms::Schedule> all = maker.of_all();
    return {all, bytes_of(algorithm, problem, all.front().segmentation), further_messages};
  }
  CompactSchedules schedules(problem.ranks);
  const algorithms::Schedule first = maker.of_rank(0);
  const TransferBytes bytes = bytes_of(algorithm, problem, first.segmentation);
  schedules.add(first, bytes, further_messages);
  if (schedules.one_to_one_ && !further_messages && problem.reorder == nullptr &&
      are_equal(problem.block_bytes)) {
    schedules.symmetry_ = algorithm.symmetry;
  }
  if (!schedules.is_one_for_all()) {
    for (int rank = 1; rank < problem.ranks; ++rank) {
      schedules.add(maker.of_rank(rank), bytes, further_messages);
    }
  }
  schedules.end_of_schedules();
  return schedules;
}

}  // namespace gatherbench::messages
