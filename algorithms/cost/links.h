// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/cost/fair_flows.h"
#include "algorithms/cost/network.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/cost/timing_model.h"

namespace gatherbench::cost {

/// Messages share the links of Paths.
class Links {
 public:
  Links(const messages::CompactSchedules& schedules, const TimingModel& model,
        RankSteps& rank_steps)
      : schedules_(schedules),
        prices_(schedules, model),
        is_eager_(model.sends == Sends::eager),
        rank_steps_(rank_steps),
        first_(schedules.messages(), not_yet),
        paths_(*model.network, model.host,
               host_speeds(model.memory, 1 / model.hockney.beta, model.window)),
        flows_(static_cast<std::size_t>(paths_.links()), 1 / (model.hockney.beta * us_per_s)) {
    for (int link = 0; link < paths_.links(); ++link) flows_.set_speed(link, paths_.speed(link));
  }

  [[nodiscard]] bool opens(double time) const { return time <= events_.now(); }
  void wake(int rank, double time) { events_.add(time, {Kind::wake, {0, 0, rank, rank}, {}}); }

  void begin(int rank, const messages::CompactSchedules::Positions& steps, double time) {
    for_each_message(
        schedules_, rank, steps, [&](const Message& message) { one_end(message, time); },
        [&](const Message& message) { sent(message, time); });
  }

  bool go_on() {
    for (const FairFlows::End& end : flows_.share(events_.now())) {
      events_.add(end.time, {Kind::ends, messages_[end.flow], end});
    }
    if (!events_.go_on()) return false;
    while (events_.has_more()) happen(events_.take());
    return true;
  }
  int next_awake() {
    if (awake_.empty()) return -1;
    const int rank = awake_.back();
    awake_.pop_back();
    return rank;
  }

 private:
  enum class Kind : std::uint8_t { wake, begins, ends };
  struct Event {
    Kind kind;
    Message message;
    FairFlows::End end;
  };

  void sent(const Message& message, double time) {
    if (is_eager_) {
      start(message, time);
      rank_steps_.end_send(message, time);
    } else {
      one_end(message, time);
    }
  }
  void one_end(const Message& message, double time) {
    double& first = first_[message.number];
    if (first == not_yet) {
      first = time;
    } else if (is_eager_) {
      rank_steps_.end_receive(message, time);
    } else {
      start(message, time);
    }
  }
  void start(const Message& message, double time) {
    events_.add(time + prices_.start_up(message), {Kind::begins, message, {}});
  }
  void begin(const Message& message) {
    std::vector<int> path;
    paths_.add_links(message.sender, message.receiver, path);
    const auto bytes = static_cast<double>(schedules_.bytes(message));
    const std::size_t flow = flows_.begin(path, bytes, events_.now());
    if (flow >= messages_.size()) messages_.resize(flow + 1);
    messages_[flow] = message;
  }
  void happen(const Event& event) {
    switch (event.kind) {
      case Kind::wake:
        awake_.push_back(event.message.sender);
        break;
      case Kind::begins:
        begin(event.message);
        break;
      case Kind::ends:
        if (!flows_.holds(event.end)) break;
        flows_.end(event.end.flow);
        if (is_eager_) {
          one_end(event.message, events_.now());
        } else {
          rank_steps_.end_send(event.message, events_.now());
          rank_steps_.end_receive(event.message, events_.now());
        }
        break;
    }
  }

  const messages::CompactSchedules& schedules_;
  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<double> first_;  // when the first end of each message was there
  Paths paths_;
  FairFlows flows_;
  std::vector<Message> messages_;  // of each flow
  std::vector<int> awake_;
  EventQueue<Event> events_;
};

}  // namespace gatherbench::cost
