// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/call_sequence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

/// One call of a communicator, put together from its ranks' records.
struct Call {
  const std::vector<int>* members;
  std::vector<std::int64_t> block_bytes;
  std::size_t seen = 0;     // members that have it on record
  std::size_t waiting = 0;  // members that came to it, when it is put in order
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();  // arrival, common clock
};

/// A record of a call.
struct Visit {
  std::size_t call;
  std::int64_t arrival_ns;  // of the rank's own clock
  std::int64_t exit_ns;
};

class Matching {
 public:
  Matching(std::string_view option, const std::string& folder,
           std::span<const formats::RankTrace> traces)
      : option_(option), folder_(folder), traces_(traces), visits_(traces.size()) {}

  CallSequence match(std::optional<std::int64_t> most) {
    find_members();
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) read_rank(rank);
    CallSequence sequence;
    sequence.left_out = drop_incomplete();
    std::vector<std::size_t> order = put_in_order();
    if (most && *most > std::ssize(order)) {
      throw text::bad_value(
          "--replay-calls", fmt::to_string(*most),
          fmt::format("is more than the trace has; legal: 1 to {}", order.size()));
    }
    if (most) order.resize(static_cast<std::size_t>(*most));
    find_shapes(order, sequence);
    return sequence;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  [[noreturn]] void refuse(const std::string& why) const {
    throw text::bad_value(option_, folder_, why + "; legal: the files of one run, as they are");
  }

  /// Finds the ranks of every communicator, with -1 in the place of each rank that does not have it
  /// on record. Throws InputError if ranks contradict each other.
  void find_members() {
    for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
      for (const auto& [number, one] : traces_[rank].communicators) {
        std::vector<int>& members = members_[one.id];
        members.resize(std::max(members.size(), static_cast<std::size_t>(one.ranks)), -1);
        int& place = members[static_cast<std::size_t>(one.rank)];
        if (std::ssize(members) != one.ranks || place >= 0) {
          refuse(
              fmt::format("rank {} says that it is rank {} of {} of communicator {}, which "
                          "other ranks contradict",
                          rank, one.rank, one.ranks, one.id));
        }
        place = static_cast<int>(rank);
      }
    }
  }

  void read_rank(std::size_t rank) {
    const formats::RankTrace& trace = traces_[rank];
    for (const formats::TraceRecord& record : trace.records) {
      const formats::TraceMembership& membership = trace.communicators.at(record.communicator);
      const auto [place, is_new] =
          numbers_.try_emplace({membership.id, record.call}, calls_.size());
      if (is_new) {
        calls_.push_back({&members_.at(membership.id),
                          std::vector<std::int64_t>(static_cast<std::size_t>(membership.ranks))});
      }
      Call& call = calls_[place->second];
      call.block_bytes[static_cast<std::size_t>(membership.rank)] = record.bytes;
      ++call.seen;
      call.latest_ns = std::max(call.latest_ns, trace.common_ns(record.arrival_ns));
      visits_[rank].push_back({place->second, record.arrival_ns, record.exit_ns});
      totals_.emplace_back(place->second, record.total_bytes);
    }
  }

  /// Drops the calls that not all their ranks have on record, and returns how many these are.
  /// Throws InputError if no trace is cut off, so that there should be none.
  std::int64_t drop_incomplete() {
    const auto is_complete = [](const Call& call) { return call.seen == call.members->size(); };
    const std::int64_t all = std::ssize(calls_);
    const std::int64_t complete = std::ranges::count_if(calls_, is_complete);
    const bool are_whole =
        std::ranges::all_of(traces_, [](const formats::RankTrace& one) { return one.is_whole; });
    if (complete < all && are_whole) {
      const auto call = std::ranges::find_if_not(calls_, is_complete);
      refuse(
          fmt::format("{} of the {} ranks of a communicator have a call on record that the "
                      "others have not, and no file is cut off",
                      call->seen, call->members->size()));
    }
    require_sizes();
    for (std::vector<Visit>& visits : visits_) {
      std::erase_if(visits, [&](const Visit& visit) { return !is_complete(calls_[visit.call]); });
    }
    return all - complete;
  }

  /// Throws InputError if the blocks of a call do not add up to the bytes in all that each of its
  /// ranks has on record.
  void require_sizes() const {
    for (const auto& [number, total] : totals_) {
      const Call& call = calls_[number];
      if (call.seen != call.members->size()) continue;
      std::int64_t sum = 0;
      for (const std::int64_t bytes : call.block_bytes) {
        if (bytes > total - sum) {
          sum = -1;
          break;
        }
        sum += bytes;
      }
      if (sum != total) {
        refuse(
            fmt::format("a rank of ranks {} has a call of {} bytes in all on record, and the "
                        "blocks of all have another sum",
                        fmt::join(*call.members, ","), total));
      }
    }
  }

  /// Returns the calls in an order that every rank keeps: a call comes when all its ranks have come
  /// to it, the one with the earliest last arrival first.
  std::vector<std::size_t> put_in_order() {
    std::vector<std::size_t> order;
    std::vector<std::size_t> next(visits_.size());
    using Ready = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto come = [&](std::size_t rank) {
      if (next[rank] == visits_[rank].size()) return;
      const std::size_t number = visits_[rank][next[rank]].call;
      Call& call = calls_[number];
      if (++call.waiting == call.members->size()) ready.emplace(call.latest_ns, number);
    };
    for (std::size_t rank = 0; rank < visits_.size(); ++rank) come(rank);
    while (!ready.empty()) {
      const std::size_t number = ready.top().second;
      ready.pop();
      order.push_back(number);
      for (const int rank : *calls_[number].members) {
        ++next[static_cast<std::size_t>(rank)];
        come(static_cast<std::size_t>(rank));
      }
    }
    for (std::size_t rank = 0; rank < visits_.size(); ++rank) {
      if (next[rank] == visits_[rank].size()) continue;
      refuse(
          fmt::format("rank {} and others have their calls in orders in which each would wait "
                      "for another for ever (several threads that call?)",
                      rank));
    }
    return order;
  }

  /// Finds the shapes of these calls, and each rank's own calls.
  void find_shapes(std::span<const std::size_t> order, CallSequence& sequence) const {
    std::map<std::vector<int>, std::size_t> members;
    std::map<std::pair<std::size_t, std::vector<std::int64_t>>, std::size_t> shapes;
    std::vector<std::size_t> shape_of(calls_.size(), none);
    for (const std::size_t number : order) {
      const Call& call = calls_[number];
      const auto [of, is_new] = members.try_emplace(*call.members, members.size());
      if (is_new) sequence.members.push_back(*call.members);
      const auto [shape, is_new_shape] =
          shapes.try_emplace({of->second, call.block_bytes}, shapes.size());
      if (is_new_shape) sequence.shapes.push_back({of->second, call.block_bytes});
      shape_of[number] = shape->second;
      sequence.calls.push_back(shape->second);
    }
    add_rank_calls(shape_of, sequence);
  }

  void add_rank_calls(std::span<const std::size_t> shape_of, CallSequence& sequence) const {
    std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
    std::vector<std::vector<Visit>> kept(visits_.size());
    for (std::size_t rank = 0; rank < visits_.size(); ++rank) {
      std::ranges::copy_if(visits_[rank], std::back_inserter(kept[rank]),
                           [&](const Visit& visit) { return shape_of[visit.call] != none; });
      if (kept[rank].empty()) continue;
      start_ns = std::min(start_ns, traces_[rank].common_ns(kept[rank].front().arrival_ns));
    }
    sequence.of_ranks.resize(visits_.size());
    for (std::size_t rank = 0; rank < visits_.size(); ++rank) {
      std::int64_t left_ns = 0;
      for (const Visit& visit : kept[rank]) {
        const bool is_first = sequence.of_ranks[rank].empty();
        const std::int64_t gap_ns = is_first ? traces_[rank].common_ns(visit.arrival_ns) - start_ns
                                             : visit.arrival_ns - left_ns;
        if (gap_ns < 0) {
          refuse(
              fmt::format("rank {} came to a call before it left another (several threads that "
                          "call?)",
                          rank));
        }
        sequence.of_ranks[rank].push_back({shape_of[visit.call], gap_ns});
        left_ns = visit.exit_ns;
      }
    }
  }

  std::string_view option_;
  const std::string& folder_;
  std::span<const formats::RankTrace> traces_;
  std::map<std::int64_t, std::vector<int>> members_;  // by id
  std::map<std::pair<std::int64_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<Call> calls_;
  std::vector<std::vector<Visit>> visits_;                    // [rank]
  std::vector<std::pair<std::size_t, std::int64_t>> totals_;  // call and what a rank says of it
};

}  // namespace

std::int64_t CallSequence::shortest_ns() const {
  std::vector<std::size_t> next(of_ranks.size());
  std::vector<std::int64_t> left_ns(of_ranks.size());
  for (const std::size_t shape : calls) {
    std::int64_t last_ns = 0;
    for (const int member : members[shapes[shape].members]) {
      const auto rank = static_cast<std::size_t>(member);
      last_ns = std::max(last_ns, left_ns[rank] + of_ranks[rank][next[rank]++].gap_ns);
    }
    for (const int member : members[shapes[shape].members]) {
      left_ns[static_cast<std::size_t>(member)] = last_ns;
    }
  }
  return left_ns.empty() ? 0 : std::ranges::max(left_ns);
}

std::int64_t CallSequence::longest_gap_ns() const {
  std::int64_t longest = 0;
  for (const std::vector<RankCall>& own : of_ranks) {
    for (const RankCall& call : own) longest = std::max(longest, call.gap_ns);
  }
  return longest;
}

void CallSequence::drop_gaps() {
  for (std::vector<RankCall>& own : of_ranks) {
    for (RankCall& call : own) call.gap_ns = 0;
  }
}

CallSequence make_sequence(std::string_view option, const std::string& folder,
                           std::span<const formats::RankTrace> traces,
                           std::optional<std::int64_t> most) {
  return Matching(option, folder, traces).match(most);
}

}  // namespace gatherbench::bench
