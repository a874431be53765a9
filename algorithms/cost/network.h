// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/cost/timing_model.h"
#include "algorithms/messages/compact_schedules.h"

namespace gatherbench::cost {

using Message = messages::CompactSchedules::Message;

/// The time of a message's first end, as long as that has not come.
inline constexpr double not_yet = -1;

inline constexpr double us_per_s = 1e6;

/// Calls received(message) and sent(message) for all that a rank does in these steps.
template <typename Received, typename Sent>
void for_each_message(const messages::CompactSchedules& schedules, int rank,
                      const messages::CompactSchedules::Positions& steps, Received received,
                      Sent sent) {
  for (std::size_t s = steps.first; s < steps.last; ++s) {
    const auto receives = schedules.receives(s);
    for (std::size_t i = receives.first; i < receives.last; ++i) {
      received(schedules.message_received(rank, i));
    }
    const auto sends = schedules.sends(s);
    for (std::size_t i = sends.first; i < sends.last; ++i) sent(schedules.message_sent(rank, i));
  }
}

/// Times in microseconds.
class Prices {
 public:
  /// The arguments outlive the object.
  Prices(const messages::CompactSchedules& schedules, const TimingModel& model)
      : schedules_(schedules),
        via_(model.window ? algorithms::Via::window : algorithms::Via::messages),
        window_(model.window.value_or(HostWindow{})),
        node_(model.node),
        longer_(model.longer),
        alpha_(model.hockney.alpha * us_per_s),
        beta_(model.hockney.beta * us_per_s),
        tau_(model.hockney.tau * us_per_s) {}
  [[nodiscard]] double start_up(const Message& message) const {
    if (is_copy(message)) return window_.alpha * us_per_s;
    return alpha_ + schedules_.further_messages(message) * tau_;
  }
  [[nodiscard]] double of(const Message& message) const {
    const std::int64_t bytes = schedules_.bytes(message);
    if (is_copy(message)) {
      return (window_.alpha + static_cast<double>(bytes) / window_.bandwidth) * us_per_s;
    }
    if (!longer_.empty() && bytes > longer_.front().bytes) {
      return of_longer(bytes) + schedules_.further_messages(message) * tau_;
    }
    return start_up(message) + static_cast<double>(bytes) * beta_;
  }

 private:
  [[nodiscard]] bool is_copy(const Message& message) const {
    return is_copied(via_, node_, message.sender, message.receiver, schedules_.bytes(message));
  }
  [[nodiscard]] double of_longer(std::int64_t bytes) const {
    const auto after = std::ranges::lower_bound(longer_, bytes, {}, &MessageTime::bytes);
    const auto share = [&](std::int64_t first, std::int64_t last) {
      return static_cast<double>(bytes - first) / static_cast<double>(last - first);
    };
    if (after == longer_.end()) return longer_.back().us * share(0, longer_.back().bytes);
    const MessageTime& before = *std::prev(after);
    return before.us + (after->us - before.us) * share(before.bytes, after->bytes);
  }

  const messages::CompactSchedules& schedules_;
  algorithms::Via via_;
  HostWindow window_;
  std::span<const int> node_;
  std::span<const MessageTime> longer_;
  double alpha_;
  double beta_;
  double tau_;
};

/// The events at their times, which come out in the order of times, and the ranks that wait for a
/// time.
template <typename Event>
class EventQueue {
 public:
  [[nodiscard]] double now() const { return now_; }
  void add(double time, const Event& event) { all_.push({time, event}); }
  /// Goes on to the time of what is next; false if there is nothing.
  bool go_on() {
    if (all_.empty()) return false;
    now_ = std::max(now_, all_.top().time);
    return true;
  }
  [[nodiscard]] bool has_more() const { return !all_.empty() && all_.top().time <= now_; }
  /// Takes out an event that happens now.
  Event take() {
    const Event event = all_.top().event;
    all_.pop();
    return event;
  }

 private:
  struct Entry {
    double time;
    Event event;
    bool operator<(const Entry& other) const { return time > other.time; }
  };
  std::priority_queue<Entry> all_;
  double now_ = 0;
};

/// Sorts the messages that come to a queue at one time, and calls visit for each.
template <typename Visit>
void in_order(const messages::CompactSchedules& schedules, std::vector<Message>& messages,
              Visit visit) {
  std::ranges::sort(messages, {},
                    [&](const Message& one) { return std::pair(schedules.turn(one), one.sender); });
  for (const Message& message : messages) visit(message);
  messages.clear();
}

}  // namespace gatherbench::cost
