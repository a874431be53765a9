// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/memory.h"

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

#include "bench/conditions/buffer_ring.h"
#include "bench/conditions/congestion.h"
#include "bench/conditions/user_buffer.h"
#include "bench/host/rank_zero.h"
#include "formats/available_memory.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/device/device.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_memory.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/policy.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

/// Returns the bytes of the blocks that a rank takes in only to pass them on: where blocks stay
/// with some ranks, what it receives beyond what it has to have. These algorithms have all ranks
/// receive as much.
std::int64_t bytes_passed_on(const algorithms::Choice& choice, int ranks, const mpi::Layout& layout,
                             std::int64_t after) {
  if (after == layout.total() || !choice.algorithm->bytes) return 0;
  const BlockBytes block_bytes(layout);
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  block_bytes.tell(problem);
  return std::max<std::int64_t>(
      0, choice.algorithm->bytes->at(problem).value_or(0) / ranks - (after - layout.bytes(0)));
}

/// Returns the sum, which stops below 2^61, more than any machine has: the needs of all algorithms
/// that a user names could not be counted together.
std::int64_t add_need(std::int64_t sum, std::int64_t need) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  return std::min(sum, most) + std::min(need, most);
}

/// Returns the bytes of the largest ring of a rank. That need not be the rank that holds most: one
/// that sends less has more pairs.
std::int64_t ring_bytes(const Setup& setup, const Case& the_case, const mpi::Layout& layout) {
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const auto in_memory = [&](std::int64_t size) { return layout.element().in_memory(size); };
  std::int64_t most = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    const collectives::Part part = part_of(collective, rank, ranks);
    const std::int64_t sent =
        part.in_place_if(setup.options.in_place) ? 0 : layout.bytes(part.initial);
    const auto ring =
        make_ring(setup.buffers.bytes, in_memory(sent), in_memory(layout.extent(part.goal)));
    most = std::max(most, ring.total());
  }
  return most;
}

/// Returns what a case that is no replay needs.
MemoryNeed estimate_call(const Setup& setup, const Case& the_case) {
  const Options& options = setup.options;
  const mpi::Layout layout = make_layout(the_case);
  const auto in_memory = [&](std::int64_t bytes) { return layout.element().in_memory(bytes); };
  MemoryNeed need;
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const std::int64_t before = max_bytes_of(collective.initial, ranks, layout);
  std::int64_t after = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    after = std::max(after, layout.extent(collective.goal(rank, ranks)));
  }
  // A rank that ends with nothing has what it sends even in place.
  const bool no_rank_sends = options.in_place && !(collective.combines && collective.has_root);
  if (setup.buffers.use == BufferUse::rotate) {
    need.ring = ring_bytes(setup, the_case, layout);
  } else {
    need.send = no_rank_sends ? 0 : in_memory(before);
    need.receive = in_memory(after) + guard_bytes;
  }
  // The contributions and the results that are expected, of calls that take turns.
  if (collective.combines) need.extra += 2 * (before + after);
  if (setup.buffers.use == BufferUse::cold) need.other = setup.buffers.bytes;
  std::int64_t sum = 0;
  std::int64_t most = 0;
  for (const Contender& contender : setup.contenders) {
    const std::int64_t extra = estimate_extra_bytes(contender, options, the_case, layout);
    sum = add_need(sum, extra);
    most = std::max(most, extra);
  }
  // One after the other, only one algorithm's plan is alive.
  need.extra += options.order.kind == Order::sequential ? most : sum;
  return need;
}

/// Returns what the calls of a traced program need. All that is prepared lives at the same time.
MemoryNeed estimate_replay(const Setup& setup, const Case& the_case) {
  const Replay& replay = *setup.replay;
  const Options& options = setup.options;
  // Roughly the bytes of a call's plan for each of its ranks, and those of its check.
  constexpr std::int64_t plan_bytes = 128;
  constexpr std::int64_t check_bytes = 32;
  MemoryNeed need;
  std::vector<std::int64_t> extra(static_cast<std::size_t>(the_case.key.ranks));
  for (const SequenceShape& shape : replay.shapes) {
    const Case own = case_of(replay, shape, the_case);
    const mpi::Layout layout(shape.block_bytes);
    const std::int64_t before = max_bytes_of(own.collective->initial, own.key.ranks, layout);
    need.send = std::max(need.send, options.in_place ? 0 : before);
    need.receive = std::max(need.receive, layout.total() + guard_bytes);
    std::int64_t of_all = check_bytes * own.key.ranks;
    for (const Contender& contender : setup.contenders) {
      const std::int64_t one =
          estimate_extra_bytes(contender, options, own, layout) + plan_bytes * own.key.ranks;
      of_all =
          options.order.kind == Order::sequential ? std::max(of_all, one) : add_need(of_all, one);
    }
    for (const int rank : replay.groups[shape.members].ranks) {
      std::int64_t& of_rank = extra[static_cast<std::size_t>(rank)];
      of_rank = add_need(of_rank, of_all);
    }
  }
  need.extra = std::ranges::max(extra);
  return need;
}

struct Allowance {
  std::int64_t bytes;  ///< a rank
  std::string source;  ///< who says so
};

/// Finds what a rank may use: --mem-limit, but not more than its share of its node, where ranks
/// that congest have a share, too. Collective over `world`.
Allowance find_memory_allowance(const Options& options, const Nodes& nodes,
                                const CongestionMemory& congestion, MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  const auto node = [&](int of) {
    return static_cast<std::size_t>(nodes.of_rank[static_cast<std::size_t>(of)]);
  };
  const bool one_process = mpi::rank_model().one_process;
  std::int64_t sharing = congestion.ranks_here;
  sharing += one_process ? std::ssize(nodes.of_rank) : nodes.ranks_on[node(rank)];
  const std::int64_t share_here = formats::available_memory() / sharing;
  struct {
    double bytes;
    int rank;
  } own{static_cast<double>(share_here), rank}, least{};
  mpi::require(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, world), "MPI_Allreduce");
  const auto share = static_cast<std::int64_t>(least.bytes);
  if (options.mem_limit && *options.mem_limit <= share) {
    return {*options.mem_limit, "--mem-limit"};
  }
  if (one_process) {
    return {share, fmt::format("all {} ranks share what this machine has available", sharing)};
  }
  mpi::require(MPI_Bcast(&sharing, 1, MPI_INT64_T, least.rank, world), "MPI_Bcast");
  return {share, fmt::format("the {} ranks on {} share what it has available", sharing,
                             nodes.hosts[node(least.rank)])};
}

/// Throws InputError if a rank that congests needs more than it may use.
void require_room_to_congest(const Setup& setup, const CongestionMemory& congestion,
                             Allowance allowance) {
  if (congestion.share < allowance.bytes) {
    allowance = {congestion.share, "a rank's share of what its node has available"};
  }
  if (congestion.of_rank <= allowance.bytes) return;
  throw text::bad_value(
      "--congest", setup.options.congest,
      fmt::format("needs {} bytes ({}) on a rank; {} bytes ({}) are allowed: {}; legal: smaller "
                  "messages, or fewer ranks",
                  congestion.of_rank, text::human_bytes(congestion.of_rank), allowance.bytes,
                  text::human_bytes(allowance.bytes), allowance.source));
}

/// Returns the memory that a rank needs in a case. `channels`: their bytes, the same in each case.
MemoryNeed memory_of(const Setup& setup, const Case& one, std::int64_t channels) {
  MemoryNeed need = estimate_memory(setup, one);
  need.extra += channels;
  if (setup.message_time) {
    need.extra += 2 * std::max(one.key.bytes, make_layout(one).mean_bytes());
  }
  need.extra += setup.traffic.buffer_bytes(one.key.ranks);
  const BufferPlaces& places = setup.options.places;
  need.extra += places.send().set_aside(need.send) - need.send;
  need.extra += places.receive().set_aside(need.receive) - need.receive;
  need.extra += places.send().set_aside(need.ring) - need.ring;
  if (places.in == BuffersIn::window) need.extra += mpi::NodeMemory::taken_for(0);
  // Of buffers in a device the host has a copy, to fill and to check them.
  if (is_of_device(places.in)) need.extra += need.send + need.receive + need.ring;
  return need;
}

text::InputError too_much(const Setup& setup, const Case& one, const MemoryNeed& need,
                          std::int64_t channels, const Allowance& allowance) {
  return text::InputError(fmt::format(
      "memory: the case {}, {}, {} bytes needs {} bytes ({}) a rank; {} bytes ({}) "
      "are allowed: {}; legal: {} ({}){}{}{}",
      one.key.collective, one.key.distribution, one.key.bytes, need.total(),
      text::human_bytes(need.total()), allowance.bytes, text::human_bytes(allowance.bytes),
      allowance.source, setup.replay ? "fewer calls" : "smaller blocks",
      setup.replay ? "--replay-calls" : setup.options.sizes_option,
      setup.options.buffers && !setup.replay ? ", or other --buffers" : "",
      setup.traffic.kind == nullptr ? "" : ", or a smaller --beside",
      channels == 0 ? ""
                    : fmt::format(", or fewer --algorithms by windows, whose channels take {}",
                                  text::human_bytes(channels))));
}

/// Returns how much of what is free on a node its ranks can share. The library fills what it has
/// set aside for its messages as it needs it: a few MiB a rank.
std::int64_t room_of(std::int64_t free_bytes, int ranks) {
  constexpr std::int64_t of_library = std::int64_t{4} << 20;
  return free_bytes - std::min(free_bytes / 2, of_library * ranks);
}

/// Returns what is needed and what there is room for on the node that lacks most, as the end of a
/// message; empty if there is room on all nodes for what a node needs. Collective over `world`.
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
bool may_take_window(const algorithms::Choice& choice, const collectives::Collective& collective,
                     const Group& group) {
  const std::string_view policy = policy_of(choice);
  selection::Search search{.bounded = policies::kind_of(policy).is_bounded};
  // A model may expect something of each.
  if (group.placement.network != nullptr) search.most = std::numeric_limits<std::size_t>::max();
  const selection::Task task(collective, group.placement, group.size(),
                             mpi::Layout(collective.blocks(group.size()), 1));
  const selection::Candidates all = selection::find_candidates(search, task, MPI_COMM_NULL);
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

bool may_have_channels(const Contender& contender, const collectives::Collective& collective,
                       std::span<const Group* const> groups) {
  if (contender.why_not) return false;
  const algorithms::Choice& choice = contender.choice;
  if (!choice.algorithm->is<algorithms::Selects>()) return choice.via == algorithms::Via::window;
  return std::ranges::any_of(
      groups, [&](const Group* group) { return may_take_window(choice, collective, *group); });
}

/// Returns the contenders that may have channels and whose plans are alive at a time.
std::vector<const Contender*> with_channels(const Setup& setup) {
  const std::vector<const Group*> groups = groups_of(setup);
  std::vector<const Contender*> found;
  for (const Contender& each : setup.contenders) {
    if (!may_have_channels(each, *setup.options.collective, groups)) continue;
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

/// Returns the bytes of all ranks of a node together, in the order of the ranks that takes most.
/// `of_orders` is a result of `channel_bytes`.
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
std::int64_t buffer_bytes(const Setup& setup, const LaunchMemory& memory, int node) {
  const BufferPlaces& places = setup.options.places;
  if (places.in != BuffersIn::window) return 0;
  return setup.nodes.ranks_on[static_cast<std::size_t>(node)] *
         mpi::NodeMemory::taken_for(bytes_in_window(memory.most, places));
}

void require_room_for_buffers(const Setup& setup, const LaunchMemory& memory, MPI_Comm world) {
  if (setup.options.places.in != BuffersIn::window) return;
  const std::string lacking = shortage(
      setup.nodes, [&](int node) { return buffer_bytes(setup, memory, node); }, world);
  if (lacking.empty()) return;
  throw text::bad_value("--buffers-in", name_in(buffers_in_names, BuffersIn::window),
                        fmt::format("{}; legal: private, or {} ({})", lacking,
                                    setup.replay ? "fewer calls" : "smaller blocks",
                                    setup.replay ? "--replay-calls" : setup.options.sizes_option));
}

void require_room_for_channels(const Setup& setup, const LaunchMemory& memory, MPI_Comm world) {
  const std::vector<const Contender*> contenders = with_channels(setup);
  if (contenders.empty()) return;
  const std::vector<std::vector<std::int64_t>> each = channel_bytes(setup);
  const auto needed_on = [&](int node) {
    return buffer_bytes(setup, memory, node) + std::ssize(contenders) * on_node(each, setup, node);
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

/// Throws InputError if a device has too little room for its ranks. What a rank needs in all is
/// taken as an upper bound of what it needs in its device. Collective over `world`.
void require_room_in_devices(const Setup& setup, const LaunchMemory& memory, MPI_Comm world) {
  const BuffersIn in = setup.options.places.in;
  if (!is_of_device(in)) return;
  const std::int64_t needed = memory.most.total() * setup.devices.sharing;
  const std::int64_t free = device::Current::device().free_bytes();
  struct {
    double spare_bytes;
    int rank;
  } own{static_cast<double>(free - needed), mpi::rank_of(world)}, least{};
  mpi::require(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, world), "MPI_Allreduce");
  if (least.spare_bytes >= 0) return;
  const std::string lacking = text_of_rank(
      least.rank,
      fmt::format("needs up to {} bytes ({}) of the device of rank {}, for {} ranks, and {} ({}) "
                  "of it are free",
                  needed, text::human_bytes(needed), least.rank, setup.devices.sharing, free,
                  text::human_bytes(free)),
      world);
  throw text::bad_value("--buffers-in", name_in(buffers_in_names, in),
                        fmt::format("{}; legal: private, or smaller blocks ({})", lacking,
                                    setup.options.sizes_option));
}

}  // namespace

mpi::Memory choose_memory(const Options& options, std::int64_t bytes) {
  if (is_of_device(options.places.in)) return mpi::Memory::device;
  return mpi::rank_model().one_process && !options.checks(bytes) ? mpi::Memory::folded
                                                                 : mpi::Memory::own;
}

MemoryNeed most_of(const MemoryNeed& one, const MemoryNeed& two) {
  return {.send = std::max(one.send, two.send),
          .receive = std::max(one.receive, two.receive),
          .ring = std::max(one.ring, two.ring),
          .other = std::max(one.other, two.other),
          .extra = std::max(one.extra, two.extra)};
}

std::int64_t max_bytes_of(collectives::BlocksOfRank* of_rank, int ranks,
                          const mpi::Layout& layout) {
  std::int64_t most = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    most = std::max(most, layout.bytes(of_rank(rank, ranks)));
  }
  return most;
}

std::int64_t estimate_extra_bytes(const Contender& contender, const Options& options,
                                  const Case& the_case, const mpi::Layout& layout) {
  if (contender.why_not) return 0;
  const algorithms::Choice& choice = contender.choice;
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const std::int64_t before = max_bytes_of(collective.initial, ranks, layout);
  const std::int64_t after = max_bytes_of(collective.goal, ranks, layout);
  std::int64_t passing = bytes_passed_on(choice, ranks, layout, after);
  // Data to send have to make room for data that come in, where both are in one buffer.
  if (options.in_place && collective.in_place != collective.goal) passing += before;
  // One that selects may take an algorithm that gathers all vectors, unless they are large.
  const bool may_gather = choice.algorithm->is<algorithms::Selects>() && collective.combines &&
                          before <= selection::most_scratch_bytes;
  const std::int64_t held = choice.algorithm->combines_at_end || may_gather
                                ? ranks * before
                                : std::max(before, after) + passing;
  const bool packs =
      form_of(choice, options.noncontiguous).noncontiguous == algorithms::Noncontiguous::packed;
  // A rank packs at most all that it sends and receives in a step: less than everything twice.
  return way_to_run(choice)->extra_bytes({.before = before,
                                          .passing = passing,
                                          .held = held,
                                          .packed = packs ? 2 * held : 0,
                                          .combines = collective.combines});
}

MemoryNeed estimate_memory(const Setup& setup, const Case& the_case) {
  return setup.replay ? estimate_replay(setup, the_case) : estimate_call(setup, the_case);
}

std::int64_t channel_bytes_of_rank(const Setup& setup) {
  std::int64_t most = 0;
  for (const std::vector<std::int64_t>& of_ranks : channel_bytes(setup)) {
    most = std::max(most, std::ranges::max(of_ranks));
  }
  return most == 0 ? 0 : most * std::ssize(with_channels(setup));
}

std::int64_t bytes_in_window(const MemoryNeed& buffers, const BufferPlaces& places) {
  return places.send().set_aside(buffers.send) + places.receive().set_aside(buffers.receive) +
         places.send().set_aside(buffers.ring);
}

LaunchMemory find_memory(const Setup& setup, MPI_Comm world, const CongestionMemory& congestion) {
  const Allowance allowance = find_memory_allowance(setup.options, setup.nodes, congestion, world);
  require_room_to_congest(setup, congestion, allowance);
  // What --measure-model needs: its buffers, and the channels of two ranks of a node.
  const std::int64_t measuring = model_memory + mpi::NodeWindow::bytes_of_rank(2);
  if (setup.options.measure_model && allowance.bytes < measuring) {
    throw text::InputError(fmt::format("--measure-model: needs {} a rank; {} are allowed: {}",
                                       text::human_bytes(measuring),
                                       text::human_bytes(allowance.bytes), allowance.source));
  }
  LaunchMemory memory{.allowed = allowance.bytes,
                      .ranks_of_node = std::ranges::max(setup.nodes.ranks_on)};
  const std::int64_t channels = channel_bytes_of_rank(setup);
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      const MemoryNeed need = memory_of(setup, one, channels);
      if (choose_memory(setup.options, one.key.bytes) == mpi::Memory::folded) {
        memory.most_folded = most_of(memory.most_folded, need);
        continue;
      }
      memory.most = most_of(memory.most, need);
      if (need.total() > allowance.bytes) throw too_much(setup, one, need, channels, allowance);
    }
  }
  require_room_for_buffers(setup, memory, world);
  require_room_for_channels(setup, memory, world);
  require_room_in_devices(setup, memory, world);
  return memory;
}

}  // namespace gatherbench::bench
