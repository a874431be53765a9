// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/window_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/buffers/user_buffer.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/node_memory.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {
namespace {

/// How much of what is free on a node its ranks can share. The library fills what it has set aside
/// for its messages as it needs it: a few MiB a rank.
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

/// Of those by windows, the ones whose plans are alive at a time.
std::vector<const Contender*> with_channels(const Setup& setup) {
  std::vector<const Contender*> found;
  for (const Contender& each : setup.contenders) {
    const bool has_them =
        each.reason_unusable.empty() && each.choice.via == algorithms::Via::window;
    if (has_them) found.push_back(&each);
    if (has_them && setup.options.order.kind == Order::sequential) break;
  }
  return found;
}

/// Of one plan: what all groups have on a node.
std::int64_t channel_bytes(const Setup& setup, const MappedCases& part, int node) {
  std::map<std::pair<std::size_t, int>, int> ranks;  // by group and node, as algorithms know it
  for (std::size_t i = 0; i < part.groups.size(); ++i) {
    const Group& group = part.groups[i];
    for (std::size_t k = 0; k < group.ranks.size(); ++k) {
      const int launched = part.order.order[static_cast<std::size_t>(group.ranks[k])];
      if (setup.nodes.of_rank[static_cast<std::size_t>(launched)] != node) continue;
      const std::vector<int>& known = group.placement.node;
      ++ranks[{i, known.empty() ? 0 : known[k]}];
    }
  }
  std::int64_t bytes = 0;
  for (const auto& [where, count] : ranks) bytes += count * mpi::NodeWindow::bytes_of_rank(count);
  return bytes;
}

/// What buffers in a window need on a node.
std::int64_t buffer_bytes(const Setup& setup, int node) {
  if (setup.options.place.in != BuffersIn::window) return 0;
  return setup.nodes.ranks_on[static_cast<std::size_t>(node)] *
         mpi::NodeMemory::taken_for(bytes_in_window(setup));
}

void require_room_for_buffers(const Setup& setup, MPI_Comm world) {
  if (setup.options.place.in != BuffersIn::window) return;
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
  const auto needed_on = [&](int node) {
    std::int64_t most = 0;
    for (const MappedCases& part : setup.parts) {
      most = std::max(most, channel_bytes(setup, part, node));
    }
    return buffer_bytes(setup, node) + std::ssize(contenders) * most;
  };
  const std::string lacking = shortage(setup.nodes, needed_on, world);
  if (lacking.empty()) return;
  const std::string others =
      contenders.size() == 1 ? std::string() : fmt::format("with {} more, ", contenders.size() - 1);
  throw text::bad_value(
      "--algorithms", contenders.front()->label,
      fmt::format("{}{}; legal: via=messages, fewer of them, or fewer ranks a node", others,
                  lacking));
}

}  // namespace

std::int64_t bytes_in_window(const Setup& setup) {
  const MemoryNeed& most = setup.max_memory;
  std::int64_t bytes = 0;
  for (const std::int64_t each : {most.send, most.receive, most.ring}) {
    bytes += UserBuffer::room_for(each, setup.options.place);
  }
  return bytes;
}

void require_room_for_windows(const Setup& setup, MPI_Comm world) {
  require_room_for_buffers(setup, world);
  require_room_for_channels(setup, world);
}

}  // namespace gatherbench::bench
