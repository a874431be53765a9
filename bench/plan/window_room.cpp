// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/window_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/conditions/user_buffer.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/node_memory.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

/// Returns how much of what is free on a node its ranks can share. The library fills what it has
/// set aside for its messages as it needs it: a few MiB a rank.
std::int64_t room_of(std::int64_t free_bytes, int ranks) {
  constexpr std::int64_t of_library = std::int64_t{4} << 20;
  return free_bytes - std::min(free_bytes / 2, of_library * ranks);
}

/// Empty if there is room on all nodes for what a node needs; else how much is lacking on the one
/// that lacks most. Collective.
std::string shortage(const Nodes& nodes, const std::function<std::int64_t(int node)>& needed_on,
                     MPI_Comm world) {
  const int node = nodes.of_rank[static_cast<std::size_t>(mpi::rank_of(world))];
  const std::optional<std::int64_t> free_bytes = mpi::NodeMemory::free_bytes();
  struct {
    double spare_bytes;
    int node;
  } own{std::numeric_limits<double>::max(), node}, least{};
  if (free_bytes) {
    const int ranks = nodes.ranks_on[static_cast<std::size_t>(node)];
    own.spare_bytes = static_cast<double>(room_of(*free_bytes, ranks) - needed_on(node));
  }
  mpi::require(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, world), "MPI_Allreduce");
  if (least.spare_bytes >= 0) return {};
  const auto index = static_cast<std::size_t>(least.node);
  const std::int64_t needed = needed_on(least.node);
  const std::int64_t room = needed + static_cast<std::int64_t>(least.spare_bytes);
  return fmt::format(
      "needs {} bytes ({}) of memory that the {} ranks on {} share, and /dev/shm has room for {} "
      "({}) beside the MPI library's own",
      needed, text::human_bytes(needed), nodes.ranks_on[index], nodes.hosts[index], room,
      text::human_bytes(room));
}

/// Returns whether the policy of a choice that selects may take a candidate by a window. It is
/// asked with blocks of one byte, with which no candidate is left out for the size of its buffers.
bool may_take_window(const algorithms::Choice& choice, const Group& group) {
  const std::string_view policy = policy_of(choice);
  selection::Search search{.bounded = policies::kind_of(policy).is_bounded};
  // A model may expect something of each.
  if (group.placement.network != nullptr) search.most = std::numeric_limits<std::size_t>::max();
  const std::vector<std::int64_t> blocks(static_cast<std::size_t>(group.size()), 1);
  const selection::Candidates all =
      selection::find_candidates(search, group.placement, blocks, MPI_COMM_NULL);
  try {
    const auto made =
        policies::make_policy(policy, all.expected, policies::default_budget_permille);
    for (std::size_t i = 0; i < all.choices.size(); ++i) {
      if (all.choices[i].via == algorithms::Via::window && made->may_take(i)) return true;
    }
    return false;
  } catch (const text::InputError&) {
    return false;  // none of those that it names can run here, so it is skipped
  }
}

/// Returns the groups that contenders make plans for.
std::vector<const Group*> groups_of(const Setup& setup) {
  std::vector<const Group*> groups;
  const auto add = [&](const std::vector<Group>& some) {
    for (const Group& group : some) groups.push_back(&group);
  };
  if (setup.replay) {
    add(setup.replay->groups);
  } else {
    for (const MappedCases& part : setup.parts) add(part.groups);
  }
  return groups;
}

bool may_have_channels(const Contender& contender, std::span<const Group* const> groups) {
  if (contender.why_not) return false;
  const algorithms::Choice& choice = contender.choice;
  if (!choice.algorithm->is<algorithms::Selects>()) return choice.via == algorithms::Via::window;
  return std::ranges::any_of(groups,
                             [&](const Group* group) { return may_take_window(choice, *group); });
}

/// Returns the contenders that may have channels and whose plans are alive at a time.
std::vector<const Contender*> with_channels(const Setup& setup) {
  const std::vector<const Group*> groups = groups_of(setup);
  std::vector<const Contender*> found;
  for (const Contender& each : setup.contenders) {
    if (!may_have_channels(each, groups)) continue;
    found.push_back(&each);
    if (setup.options.order.kind == Order::sequential) break;
  }
  return found;
}

/// Adds what the channels of a plan take to the bytes of each of its ranks, which are numbered as
/// they were launched. `known`: the node of each as algorithms know it; empty: all are on one.
void add_channels(const Setup& setup, std::span<const int> launched, std::span<const int> known,
                  std::vector<std::int64_t>& bytes) {
  // Ranks share channels that are on one node, both by what there is and by what algorithms know.
  std::map<std::pair<int, int>, std::vector<std::size_t>> together;
  for (std::size_t k = 0; k < launched.size(); ++k) {
    const auto rank = static_cast<std::size_t>(launched[k]);
    together[{setup.nodes.of_rank[rank], known.empty() ? 0 : known[k]}].push_back(rank);
  }
  for (const auto& [node, ranks] : together) {
    const std::int64_t own = mpi::NodeWindow::bytes_of_rank(static_cast<int>(ranks.size()));
    for (const std::size_t rank : ranks) bytes[rank] += own;
  }
}

/// Returns, by order of the ranks and launched rank, the bytes that the plans of one contender take
/// at a time: a plan for each group, or for each different call of a replay.
std::vector<std::vector<std::int64_t>> channel_bytes(const Setup& setup) {
  std::vector<std::vector<std::int64_t>> found;
  for (const MappedCases& part : setup.parts) {
    std::vector<std::int64_t>& bytes = found.emplace_back(setup.nodes.of_rank.size());
    const auto add = [&](const Group& group) {
      std::vector<int> launched;
      for (const int rank : group.ranks) {
        launched.push_back(part.order.order[static_cast<std::size_t>(rank)]);
      }
      add_channels(setup, launched, group.placement.node, bytes);
    };
    if (setup.replay) {
      for (const SequenceShape& shape : setup.replay->shapes) {
        add(setup.replay->groups[shape.members]);
      }
    } else {
      std::ranges::for_each(part.groups, add);
    }
  }
  return found;
}

/// The same of all ranks of a node together, in the order that takes most.
std::int64_t on_node(const std::vector<std::vector<std::int64_t>>& of_orders, const Setup& setup,
                     int node) {
  std::int64_t most = 0;
  for (const std::vector<std::int64_t>& of_ranks : of_orders) {
    std::int64_t sum = 0;
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      if (setup.nodes.of_rank[rank] == node) sum += of_ranks[rank];
    }
    most = std::max(most, sum);
  }
  return most;
}

/// Returns the bytes that buffers in a window need on a node.
std::int64_t buffer_bytes(const Setup& setup, int node) {
  if (setup.options.places.in != BuffersIn::window) return 0;
  return setup.nodes.ranks_on[static_cast<std::size_t>(node)] *
         mpi::NodeMemory::taken_for(bytes_in_window(setup));
}

void require_room_for_buffers(const Setup& setup, MPI_Comm world) {
  if (setup.options.places.in != BuffersIn::window) return;
  const std::string lacking = shortage(
      setup.nodes, [&](int node) { return buffer_bytes(setup, node); }, world);
  if (lacking.empty()) return;
  throw text::bad_value("--buffers-in", name_in(buffers_in_names, BuffersIn::window),
                        fmt::format("{}; legal: private, or {} ({})", lacking,
                                    setup.replay ? "fewer calls" : "smaller blocks",
                                    setup.replay ? "--replay-calls" : setup.options.sizes_option));
}

void require_room_for_channels(const Setup& setup, MPI_Comm world) {
  const std::vector<const Contender*> contenders = with_channels(setup);
  if (contenders.empty()) return;
  const std::vector<std::vector<std::int64_t>> each = channel_bytes(setup);
  const auto needed_on = [&](int node) {
    return buffer_bytes(setup, node) + std::ssize(contenders) * on_node(each, setup, node);
  };
  const std::string lacking = shortage(setup.nodes, needed_on, world);
  if (lacking.empty()) return;
  const Contender& first = *contenders.front();
  const std::string others =
      contenders.size() == 1 ? std::string() : fmt::format("with {} more, ", contenders.size() - 1);
  throw text::bad_value(
      "--algorithms", first.label,
      fmt::format(
          "{}{}; legal: {}, fewer of them, or fewer {}", others, lacking,
          first.choice.algorithm->is<algorithms::Selects>() ? "one by messages" : "via=messages",
          setup.replay ? "calls (--replay-calls)" : "ranks a node"));
}

}  // namespace

std::int64_t bytes_in_window(const Setup& setup) {
  const MemoryNeed& most = setup.max_memory;
  const BufferPlaces& places = setup.options.places;
  return places.send().set_aside(most.send) + places.receive().set_aside(most.receive) +
         places.send().set_aside(most.ring);
}

std::int64_t channel_bytes_of_rank(const Setup& setup) {
  std::int64_t most = 0;
  for (const std::vector<std::int64_t>& of_ranks : channel_bytes(setup)) {
    most = std::max(most, std::ranges::max(of_ranks));
  }
  return most == 0 ? 0 : most * std::ssize(with_channels(setup));
}

void require_room_for_windows(const Setup& setup, MPI_Comm world) {
  require_room_for_buffers(setup, world);
  require_room_for_channels(setup, world);
}

}  // namespace gatherbench::bench
