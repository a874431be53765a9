// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/cost/network.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/cost/timing_model.h"

namespace gatherbench::cost {

// A network is what the event simulation of timing.cpp runs on. It has these functions:
// - opens(time): whether the simulation has come to this time, so that a step may begin then. If it
//   has not, the simulation calls wake(rank, time), and next_awake() returns the rank when its time
//   has come, or -1 if there is none.
// - begin(rank, steps, time): the rank is there with all that it sends and receives in these steps.
//   The network calls RankSteps::end_send and end_receive when a transfer has ended, or, if nothing
//   else can change that, as soon as it is known when it will.
// - go_on(): goes to the next time at which something happens; false if nothing does.

/// A network without contention: a message waits for its two ends, and for no other message. So
/// ranks can be looked at in any order.
class Unqueued {
 public:
  Unqueued(const messages::CompactSchedules& schedules, const TimingModel& model,
           RankSteps& rank_steps)
      : schedules_(schedules),
        prices_(schedules, model),
        is_eager_(model.sends == Sends::eager),
        rank_steps_(rank_steps),
        first_(schedules.messages(), not_yet) {
    if (!is_eager_) return;
    out_.assign(static_cast<std::size_t>(schedules.ranks()), 0);
    in_.assign(out_.size(), 0);
  }

  static bool opens(double) { return true; }
  static void wake(int, double) {}
  static int next_awake() { return -1; }
  static bool go_on() { return false; }

  void begin(int rank, const messages::CompactSchedules::Positions& steps, double time) {
    for_each_message(
        schedules_, rank, steps, [&](const Message& message) { one_end(message, time); },
        [&](const Message& message) { sent(message, time); });
  }

 private:
  void sent(const Message& message, double time) {
    if (is_eager_) {
      double& out = out_[static_cast<std::size_t>(message.sender)];
      double& in = in_[static_cast<std::size_t>(message.receiver)];
      const double begin = std::max(time, out);
      const double price = prices_.of(message);
      out = begin + price;
      in = std::max(begin, in) + price;
      rank_steps_.end_send(message, time);
      one_end(message, in);
    } else {
      one_end(message, time);
    }
  }
  void one_end(const Message& message, double time) {
    double& first = first_[message.number];
    if (first == not_yet) {
      first = time;
      return;
    }
    const double both = std::max(first, time);
    const double end = is_eager_ ? both : both + prices_.of(message);
    if (!is_eager_) rank_steps_.end_send(message, end);
    rank_steps_.end_receive(message, end);
  }

  const messages::CompactSchedules& schedules_;
  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<double> first_;  // when the first end of each message was there; eager: it itself
  std::vector<double> out_;    // until then the port of each rank is in use
  std::vector<double> in_;
};

}  // namespace gatherbench::cost
