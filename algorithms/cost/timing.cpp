// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithms/cost/fair_flows.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/messages/compact_schedules.h"

namespace gatherbench::cost {
namespace {

using Message = messages::CompactSchedules::Message;

/// The time of a message's first end, as long as that has not come.
inline constexpr double not_yet = -1;

inline constexpr double us_per_s = 1e6;

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

// A network is what the event simulation runs on. It has these functions:
// - opens(time): whether the simulation has come to this time, so that a step may begin then. If it
//   has not, the simulation calls wake(rank, time), and next_awake() returns the rank when its time
//   has come, or -1 if there is none.
// - sent(message, time), received(message, time): the sender, or the receiver, is there. The
//   network calls RankSteps::end_send and end_receive when the transfer has ended.
// - go_on(): goes to the next time at which something happens; false if nothing does.

/// A network without contention: a message waits for its two ends, and for no other message. So
/// ranks can be looked at in any order.
class Unqueued {
 public:
  Unqueued(const messages::CompactSchedules& schedules, const TimingModel& model,
           RankSteps& rank_steps)
      : prices_(schedules, model),
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
  void received(const Message& message, double time) { one_end(message, time); }

 private:
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

  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<double> first_;  // when the first end of each message was there; eager: it itself
  std::vector<double> out_;    // until then the port of each rank is in use
  std::vector<double> in_;
};

/// A network in which messages wait for each other. What happens to a message is a change, and the
/// changes come in the order of their times. The network itself begins a transfer at a time, which
/// is now, with begin(message, time), and goes through a change with happen(message, change).
template <typename Network, typename Change>
class EventNetwork {
 public:
  [[nodiscard]] bool opens(double time) const { return time <= now(); }
  void wake(int rank, double time) { events_.add(time, {{0, 0, rank, rank}, std::nullopt}); }
  /// Returns a rank that `wake` was called for, and that may begin now; -1: there is none.
  int next_awake() {
    if (awake_.empty()) return -1;
    const int rank = awake_.back();
    awake_.pop_back();
    return rank;
  }

  void sent(const Message& message, double time) {
    if (is_eager_) {
      network().begin(message, time);
      rank_steps_.end_send(message, time);
    } else {
      one_end(message, time);
    }
  }
  void received(const Message& message, double time) { one_end(message, time); }

 protected:
  EventNetwork(const messages::CompactSchedules& schedules, const TimingModel& model,
               RankSteps& rank_steps)
      : schedules_(schedules),
        prices_(schedules, model),
        is_eager_(model.sends == Sends::eager),
        rank_steps_(rank_steps),
        first_(schedules.messages(), not_yet) {}

  [[nodiscard]] const messages::CompactSchedules& schedules() const { return schedules_; }
  [[nodiscard]] const Prices& prices() const { return prices_; }
  [[nodiscard]] bool is_eager() const { return is_eager_; }
  [[nodiscard]] double now() const { return events_.now(); }

  void add(double time, const Message& message, const Change& change) {
    events_.add(time, {message, change});
  }
  void one_end(const Message& message, double time) {
    double& first = first_[message.number];
    if (first == not_yet) {
      first = time;
    } else if (is_eager_) {
      rank_steps_.end_receive(message, time);
    } else {
      network().begin(message, time);
    }
  }
  void end_both(const Message& message) {
    rank_steps_.end_send(message, now());
    rank_steps_.end_receive(message, now());
  }
  bool go_through_events() {
    if (!events_.go_on()) return false;
    while (events_.has_more()) {
      const Event event = events_.take();
      if (event.change) {
        network().happen(event.message, *event.change);
      } else {
        awake_.push_back(event.message.sender);
      }
    }
    return true;
  }

 private:
  struct Event {
    Message message;
    std::optional<Change> change;  // none: its rank wakes
  };
  Network& network() { return static_cast<Network&>(*this); }

  const messages::CompactSchedules& schedules_;
  Prices prices_;
  bool is_eager_;
  RankSteps& rank_steps_;
  std::vector<double> first_;  // when the first end of each message was there
  std::vector<int> awake_;
  EventQueue<Event> events_;
};

enum class PortChange : std::uint8_t { ends, arrives_at_port, arrived };

/// Each rank has a port for what it sends and one for what it receives, with a queue each.
class Ports : public EventNetwork<Ports, PortChange> {
 public:
  Ports(const messages::CompactSchedules& schedules, const TimingModel& model,
        RankSteps& rank_steps)
      : EventNetwork(schedules, model, rank_steps),
        out_(static_cast<std::size_t>(schedules.ranks()), 0),
        in_(out_.size(), 0) {}

  void begin(const Message& message, double /*time*/) { sent_.push_back(message); }
  void happen(const Message& message, PortChange change) {
    switch (change) {
      case PortChange::ends:
        end_both(message);
        break;
      case PortChange::arrives_at_port:
        arriving_.push_back(message);
        break;
      case PortChange::arrived:
        one_end(message, now());
        break;
    }
  }
  bool go_on() {
    in_order(schedules(), sent_, [&](const Message& message) { send(message); });
    in_order(schedules(), arriving_, [&](const Message& message) { receive(message); });
    return go_through_events();
  }

 private:
  void send(const Message& message) {
    double& out = out_[static_cast<std::size_t>(message.sender)];
    const double price = prices().of(message);
    if (is_eager()) {
      const double begin = std::max(now(), out);
      out = begin + price;
      add(begin, message, PortChange::arrives_at_port);
    } else {
      double& in = in_[static_cast<std::size_t>(message.receiver)];
      out = in = std::max({now(), out, in}) + price;
      add(out, message, PortChange::ends);
    }
  }
  void receive(const Message& message) {
    double& in = in_[static_cast<std::size_t>(message.receiver)];
    in = std::max(now(), in) + prices().of(message);
    add(in, message, PortChange::arrived);
  }

  std::vector<double> out_;  // until then the port of each rank is in use
  std::vector<double> in_;
  std::vector<Message> sent_;      // now
  std::vector<Message> arriving_;  // now
};

/// A flow begins if there is no end of it.
using FlowChange = std::optional<FairFlows::End>;

/// Messages share the links of Paths.
class Links : public EventNetwork<Links, FlowChange> {
 public:
  Links(const messages::CompactSchedules& schedules, const TimingModel& model,
        RankSteps& rank_steps)
      : EventNetwork(schedules, model, rank_steps),
        paths_(*model.network, model.host,
               host_speeds(model.memory, 1 / model.hockney.beta, model.window)),
        flows_(static_cast<std::size_t>(paths_.links()), 1 / (model.hockney.beta * us_per_s)) {
    for (int link = 0; link < paths_.links(); ++link) flows_.set_speed(link, paths_.speed(link));
  }

  void begin(const Message& message, double time) {
    add(time + prices().start_up(message), message, std::nullopt);
  }
  void happen(const Message& message, const FlowChange& end) {
    if (!end) {
      begin_flow(message);
      return;
    }
    if (!flows_.holds(*end)) return;
    flows_.end(end->flow);
    if (is_eager()) {
      one_end(message, now());
    } else {
      end_both(message);
    }
  }
  bool go_on() {
    for (const FairFlows::End& end : flows_.share(now())) add(end.time, messages_[end.flow], end);
    return go_through_events();
  }

 private:
  void begin_flow(const Message& message) {
    std::vector<int> path;
    paths_.add_links(message.sender, message.receiver, path);
    const auto bytes = static_cast<double>(schedules().bytes(message));
    const std::size_t flow = flows_.begin(path, bytes, now());
    if (flow >= messages_.size()) messages_.resize(flow + 1);
    messages_[flow] = message;
  }

  Paths paths_;
  FairFlows flows_;
  std::vector<Message> messages_;  // of each flow
};

/// Opens the steps of a rank.
template <typename Network>
void begin(const messages::CompactSchedules& schedules, RankSteps& rank_steps, Network& network,
           int rank, double time) {
  const messages::CompactSchedules::Positions steps = rank_steps.begin(rank, time);
  for (std::size_t s = steps.first; s < steps.last; ++s) {
    const messages::CompactSchedules::Positions receives = schedules.receives(s);
    for (std::size_t i = receives.first; i < receives.last; ++i) {
      network.received(schedules.message_received(rank, i), time);
    }
    const messages::CompactSchedules::Positions sends = schedules.sends(s);
    for (std::size_t i = sends.first; i < sends.last; ++i) {
      network.sent(schedules.message_sent(rank, i), time);
    }
  }
}

template <typename Network>
std::vector<double> run(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                        const TimingModel& model) {
  RankSteps rank_steps(schedules, arrivals.us, arrivals.in_background,
                       model.hockney.gamma * us_per_s);
  Network network(schedules, model, rank_steps);
  do {
    for (int rank = network.next_awake(); rank >= 0; rank = network.next_awake()) {
      begin(schedules, rank_steps, network, rank, rank_steps.time(rank));
    }
    for (int rank = rank_steps.next_ready(); rank >= 0; rank = rank_steps.next_ready()) {
      const double time = rank_steps.next_begin(rank);
      if (std::isinf(time)) continue;
      if (network.opens(time)) {
        begin(schedules, rank_steps, network, rank, time);
      } else {
        network.wake(rank, time);
      }
    }
  } while (network.go_on());
  return rank_steps.exits();
}

void require_arrivals(std::span<const double> us, int ranks) {
  if (us.size() != static_cast<std::size_t>(ranks)) {
    throw std::invalid_argument(fmt::format("{} arrivals of {} ranks", us.size(), ranks));
  }
  for (const double time : us) {
    if (!(time >= 0) || std::isinf(time)) {
      throw std::invalid_argument(fmt::format("a rank arrives at {} us", time));
    }
  }
}

}  // namespace

std::vector<double> exits_us(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                             const TimingModel& model) {
  require_arrivals(arrivals.us, schedules.ranks());
  if (model.network != nullptr && model.hockney.beta > 0) {
    return run<Links>(schedules, arrivals, model);
  }
  const bool is_unqueued =
      model.sends == Sends::eager ? schedules.has_one_sender_each() : schedules.is_one_to_one();
  // Background receives of several steps are open at once.
  if (is_unqueued && !arrivals.in_background) return run<Unqueued>(schedules, arrivals, model);
  return run<Ports>(schedules, arrivals, model);
}

std::vector<double> exits_us(std::span<const algorithms::Schedule> schedules,
                             const messages::TransferBytes& bytes, const Arrivals& arrivals,
                             const TimingModel& model) {
  return exits_us(messages::CompactSchedules(schedules, bytes, model.hockney.tau > 0), arrivals,
                  model);
}

}  // namespace gatherbench::cost
