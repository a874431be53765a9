// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
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
        first_(schedules.messages(), not_yet),
        out_(static_cast<std::size_t>(schedules.ranks()), 0),
        in_(out_.size(), 0) {}

  [[nodiscard]] bool opens(double time) const { return time <= events_.now(); }
  void wake(int rank, double time) { events_.add(time, {Kind::wake, {0, 0, rank, rank}}); }

  void sent(const Message& message, double time) {
    if (is_eager_) {
      sent_.push_back(message);
      rank_steps_.end_send(message, time);
    } else {
      one_end(message, time);
    }
  }
  void received(const Message& message, double time) { one_end(message, time); }

  bool go_on() {
    in_order(schedules_, sent_, [&](const Message& message) { send(message); });
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
  enum class Kind : std::uint8_t { wake, ends, arrives_at_port, arrived };
  struct Event {
    Kind kind;
    Message message;
  };

  void one_end(const Message& message, double time) {
    double& first = first_[message.number];
    if (first == not_yet) {
      first = time;
    } else if (is_eager_) {
      rank_steps_.end_receive(message, time);
    } else {
      sent_.push_back(message);
    }
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
      events_.add(out, {Kind::ends, message});
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
      case Kind::ends:
        rank_steps_.end_send(event.message, events_.now());
        rank_steps_.end_receive(event.message, events_.now());
        break;
      case Kind::arrives_at_port:
        arriving_.push_back(event.message);
        break;
      case Kind::arrived:
        one_end(event.message, events_.now());
        break;
    }
  }

  const messages::CompactSchedules& schedules_;
  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<double> first_;  // when the first end of each message was there
  std::vector<double> out_;    // until then the port of each rank is in use
  std::vector<double> in_;
  std::vector<Message> sent_;      // now
  std::vector<Message> arriving_;  // now
  std::vector<int> awake_;
  EventQueue<Event> events_;
};

}  // namespace gatherbench::cost
