// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <queue>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/cost/fair_flows.h"
#include "algorithms/cost/rank_steps.h"
#include "algorithms/messages/compact_schedules.h"

namespace gatherbench::cost {
namespace {

using Message = messages::CompactSchedules::Message;

/// The time of a message's first end, as long as that has not come.
constexpr double not_yet = -1;

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

/// The events of a network, which come out in the order of their times, and the ranks that wait for
/// a time.
template <typename Event>
class EventQueue {
 public:
  [[nodiscard]] bool opens(double time) const { return time <= now_; }
  void wake(int rank, double time) { all_.push({time, {}, rank}); }
  /// Returns a rank that `wake` was called for, and that may begin now; -1: there is none.
  int next_awake() {
    if (awake_.empty()) return -1;
    const int rank = awake_.back();
    awake_.pop_back();
    return rank;
  }

 protected:
  [[nodiscard]] double now() const { return now_; }
  void add_event(double time, const Event& event) { all_.push({time, event, no_rank}); }
  /// Goes to the time of what is next, and calls happen(event) for all events of then. Returns
  /// false if there is nothing.
  template <typename Happen>
  bool go_to_next(Happen happen) {
    if (all_.empty()) return false;
    now_ = std::max(now_, all_.top().time);
    while (!all_.empty() && all_.top().time <= now_) {
      const Entry entry = all_.top();
      all_.pop();
      if (entry.rank == no_rank) {
        happen(entry.event);
      } else {
        awake_.push_back(entry.rank);
      }
    }
    return true;
  }

 private:
  static constexpr int no_rank = -1;
  struct Entry {
    double time;
    Event event;
    int rank;  // that wakes
    bool operator<(const Entry& other) const { return time > other.time; }
  };
  std::priority_queue<Entry> all_;
  std::vector<int> awake_;
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

struct PortEvent {
  enum class Kind : std::uint8_t { arrives_at_port, arrived };
  Kind kind;
  Message message;
};

/// Each rank has a port for what it sends and one for what it receives, with a queue each.
class Ports : public EventQueue<PortEvent> {
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
    return go_to_next([this](const PortEvent& event) { happen(event); });
  }

 private:
  using Kind = PortEvent::Kind;
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
      const double begin = std::max(now(), out);
      out = begin + price;
      add_event(begin, {Kind::arrives_at_port, message});
    } else {
      double& in = in_[static_cast<std::size_t>(message.receiver)];
      out = in = std::max({now(), out, in}) + price;
      rank_steps_.end_send(message, out);
      rank_steps_.end_receive(message, out);
    }
  }
  void receive(const Message& message) {
    double& in = in_[static_cast<std::size_t>(message.receiver)];
    in = std::max(now(), in) + prices_.of(message);
    add_event(in, {Kind::arrived, message});
  }
  void happen(const PortEvent& event) {
    switch (event.kind) {
      case Kind::arrives_at_port:
        arriving_.push_back(event.message);
        break;
      case Kind::arrived:
        if (second_end(event.message)) rank_steps_.end_receive(event.message, now());
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
};

struct LinkEvent {
  enum class Kind : std::uint8_t { begins, ends };
  Kind kind;
  Message message;
  FairFlows::End end;
};

/// Messages share the links of Paths.
class Links : public EventQueue<LinkEvent> {
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

  void begin(int rank, const messages::CompactSchedules::Positions& steps, double time) {
    for_each_message(
        schedules_, rank, steps, [&](const Message& message) { one_end(message, time); },
        [&](const Message& message) { sent(message, time); });
  }

  bool go_on() {
    for (const FairFlows::End& end : flows_.share(now())) {
      add_event(end.time, {Kind::ends, messages_[end.flow], end});
    }
    return go_to_next([this](const LinkEvent& event) { happen(event); });
  }

 private:
  using Kind = LinkEvent::Kind;

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
    add_event(time + prices_.start_up(message), {Kind::begins, message, {}});
  }
  void begin(const Message& message) {
    std::vector<int> path;
    paths_.add_links(message.sender, message.receiver, path);
    const auto bytes = static_cast<double>(schedules_.bytes(message));
    const std::size_t flow = flows_.begin(path, bytes, now());
    if (flow >= messages_.size()) messages_.resize(flow + 1);
    messages_[flow] = message;
  }
  void happen(const LinkEvent& event) {
    switch (event.kind) {
      case Kind::begins:
        begin(event.message);
        break;
      case Kind::ends:
        if (!flows_.holds(event.end)) break;
        flows_.end(event.end.flow);
        if (is_eager_) {
          one_end(event.message, now());
        } else {
          rank_steps_.end_send(event.message, now());
          rank_steps_.end_receive(event.message, now());
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
};

/// Opens the steps of a rank.
template <typename Network>
void begin(RankSteps& rank_steps, Network& network, int rank, double time) {
  network.begin(rank, rank_steps.begin(rank, time), time);
}

template <typename Network>
std::vector<double> run(const messages::CompactSchedules& schedules, const Arrivals& arrivals,
                        const TimingModel& model) {
  RankSteps rank_steps(schedules, arrivals.us, arrivals.in_background,
                       model.hockney.gamma * us_per_s);
  Network network(schedules, model, rank_steps);
  do {
    for (int rank = network.next_awake(); rank >= 0; rank = network.next_awake()) {
      begin(rank_steps, network, rank, rank_steps.time(rank));
    }
    for (int rank = rank_steps.next_ready(); rank >= 0; rank = rank_steps.next_ready()) {
      const double time = rank_steps.next_begin(rank);
      if (std::isinf(time)) continue;
      if (network.opens(time)) {
        begin(rank_steps, network, rank, time);
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
