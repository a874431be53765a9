// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "algorithms/cost/network.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/cost/timing_model.h"

namespace gatherbench::cost {

/// Each rank has a port for what it sends and one for what it receives, with a queue each.
class Ports {
 public:
  Ports(const messages::CompactSchedules& schedules, const TimingModel& model,
        RankSteps& rank_steps)
      : schedules_(schedules),
        prices_(schedules, model),
        is_eager_(model.sends == Sends::eager),
        rank_steps_(rank_steps),
        has_one_end_(schedules.messages(), 0),
        out_(static_cast<std::size_t>(schedules.ranks()), 0),
        in_(out_.size(), 0) {}

  [[nodiscard]] bool opens(double time) const { return time <= events_.now(); }
  void wake(int rank, double time) { events_.add(time, {Kind::wake, {0, 0, rank, rank}}); }

  void begin(int rank, const messages::CompactSchedules::Positions& steps, double time) {
    const std::size_t last = schedules_.receives(steps.last - 1).last;
    for (std::size_t i = schedules_.receives(steps.first).first; i < last; ++i) {
      const Message message = schedules_.message_received(rank, i);
      if (!second_end(message)) continue;
      if (is_eager_) {
        rank_steps_.end_receive(message, time);
      } else {
        add(message.sender, schedules_.turn(message));
      }
    }
    const Run sends{schedules_.sends_before(rank, steps.first),
                    schedules_.sends_before(rank, steps.last), rank};
    if (sends.turn < sends.last) begun_.push_back(sends);
    for (std::uint32_t turn = sends.turn; is_eager_ && turn < sends.last; ++turn) {
      rank_steps_.end_send(schedules_.message_of_turn(rank, turn), time);
    }
  }

  bool go_on() {
    // All receives are there before the sends that meet them: these then make long runs.
    for (const Run& run : begun_) add_met(run);
    begun_.clear();
    const bool any = !sent_.empty();
    send_all();
    if (any && !is_eager_) return true;
    in_order(schedules_, arriving_, [&](const Message& message) { receive(message); });
    if (!events_.go_on()) return false;
    while (events_.has_more()) happen(events_.take());
    return true;
  }
  /// Returns a rank that `wake` was called for, and that may begin now; -1: there is none.
  int next_awake() {
    if (awake_.empty()) return -1;
    const int rank = awake_.back();
    awake_.pop_back();
    return rank;
  }

 private:
  enum class Kind : std::uint8_t { wake, arrives_at_port, arrived };
  struct Event {
    Kind kind;
    Message message;
  };
  /// Messages of one rank that come to its queue one after the other.
  struct Run {
    std::uint32_t turn;  // of the first
    std::uint32_t last;
    int sender;
  };

  bool second_end(const Message& message) {
    std::uint8_t& has_one = has_one_end_[message.number];
    if (has_one != 0) return true;
    has_one = 1;
    return false;
  }
  void add(int sender, std::uint32_t turn) {
    if (!sent_.empty() && sent_.back().sender == sender && sent_.back().last == turn) {
      ++sent_.back().last;
    } else {
      sent_.push_back({turn, turn + 1, sender});
    }
  }
  void add_met(const Run& run) {
    if (is_eager_) {
      sent_.push_back(run);
      return;
    }
    for (std::uint32_t turn = run.turn; turn < run.last; ++turn) {
      if (second_end(schedules_.message_of_turn(run.sender, turn))) add(run.sender, turn);
    }
  }
  /// Sends all that have come to the queues, in the order of turns, then of ranks.
  void send_all() {
    std::ranges::sort(sent_, {}, [](const Run& run) { return std::tuple(run.turn, run.sender); });
    std::vector<Run> now;  // those that have this turn, by sender
    std::size_t next = 0;
    for (std::uint32_t turn = 0; next < sent_.size() || !now.empty(); ++turn) {
      if (now.empty()) turn = sent_[next].turn;
      const auto before = std::ssize(now);
      while (next < sent_.size() && sent_[next].turn == turn) now.push_back(sent_[next++]);
      std::ranges::inplace_merge(now, now.begin() + before, {}, &Run::sender);
      for (const Run& run : now) send(schedules_.message_of_turn(run.sender, turn));
      std::erase_if(now, [turn](const Run& run) { return run.last == turn + 1; });
    }
    sent_.clear();
  }
  void send(const Message& message) {
    double& out = out_[static_cast<std::size_t>(message.sender)];
    const double price = prices_.of(message);
    if (is_eager_) {
      const double begin = std::max(events_.now(), out);
      out = begin + price;
      events_.add(begin, {Kind::arrives_at_port, message});
    } else {
      double& in = in_[static_cast<std::size_t>(message.receiver)];
      out = in = std::max({events_.now(), out, in}) + price;
      rank_steps_.end_send(message, out);
      rank_steps_.end_receive(message, out);
    }
  }
  void receive(const Message& message) {
    double& in = in_[static_cast<std::size_t>(message.receiver)];
    in = std::max(events_.now(), in) + prices_.of(message);
    events_.add(in, {Kind::arrived, message});
  }
  void happen(const Event& event) {
    switch (event.kind) {
      case Kind::wake:
        awake_.push_back(event.message.sender);
        break;
      case Kind::arrives_at_port:
        arriving_.push_back(event.message);
        break;
      case Kind::arrived:
        if (second_end(event.message)) rank_steps_.end_receive(event.message, events_.now());
        break;
    }
  }

  const messages::CompactSchedules& schedules_;
  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<std::uint8_t> has_one_end_;  // of each message
  std::vector<double> out_;                // until then the port of each rank is in use
  std::vector<double> in_;
  std::vector<Run> begun_;         // now
  std::vector<Run> sent_;          // now
  std::vector<Message> arriving_;  // now
  std::vector<int> awake_;
  EventQueue<Event> events_;
};

}  // namespace gatherbench::cost
