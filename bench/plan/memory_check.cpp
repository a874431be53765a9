// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/memory_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bench/plan/window_room.h"
#include "formats/available_memory.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_memory.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {
namespace {

struct Allowance {
  std::int64_t bytes;  ///< a rank
  std::string source;  ///< who says so
};

/// Finds what a rank may use: --mem-limit, but not more than its share of its node.
Allowance find_memory_allowance(const Options& options, const Nodes& nodes, MPI_Comm world) {
  const int node = nodes.of_rank[static_cast<std::size_t>(mpi::rank_of(world))];
  const bool one_process = mpi::rank_model().one_process;
  const std::int64_t sharing =
      one_process ? std::ssize(nodes.of_rank) : nodes.ranks_on[static_cast<std::size_t>(node)];
  const std::int64_t share_here = formats::available_memory() / sharing;
  struct {
    double bytes;
    int node;
  } own{static_cast<double>(share_here), node}, least{};
  mpi::require(MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, world), "MPI_Allreduce");
  const auto index = static_cast<std::size_t>(least.node);
  const auto share = static_cast<std::int64_t>(least.bytes);
  if (options.mem_limit && *options.mem_limit <= share) {
    return {*options.mem_limit, "--mem-limit"};
  }
  if (one_process) {
    return {share, fmt::format("all {} ranks share what this machine has available", sharing)};
  }
  return {share, fmt::format("the {} ranks on {} share what it has available",
                             nodes.ranks_on[index], nodes.hosts[index])};
}

/// Returns the memory that a rank needs in a case. `channels`: their bytes, the same in each case.
MemoryNeed memory_of(const Setup& setup, const Case& one, std::int64_t channels) {
  MemoryNeed need =
      setup.replay ? estimate_replay_memory(*setup.replay, one, setup.options, setup.contenders)
                   : estimate_memory(one, setup.options, setup.buffers, setup.contenders);
  need.extra += channels;
  if (setup.message_time) need.extra += 2 * one.key.bytes;
  need.extra += setup.traffic.buffer_bytes(one.key.ranks);
  const BufferPlaces& places = setup.options.places;
  need.extra += places.send().set_aside(need.send) - need.send;
  need.extra += places.receive().set_aside(need.receive) - need.receive;
  need.extra += places.send().set_aside(need.ring) - need.ring;
  if (places.in == BuffersIn::window) need.extra += mpi::NodeMemory::taken_for(0);
  return need;
}

text::InputError too_much(const Setup& setup, const Case& one, const MemoryNeed& need,
                          std::int64_t channels, const Allowance& allowance) {
  return text::InputError(fmt::format(
      "memory: the case {}, {}, {} bytes needs {} bytes ({}) a rank; {} bytes ({}) "
      "are allowed: {}; legal: {} ({}){}{}",
      one.key.collective, one.key.distribution, one.key.bytes, need.total(),
      text::human_bytes(need.total()), allowance.bytes, text::human_bytes(allowance.bytes),
      allowance.source, setup.replay ? "fewer calls" : "smaller blocks",
      setup.replay ? "--replay-calls" : setup.options.sizes_option,
      setup.options.buffers && !setup.replay ? ", or other --buffers" : "",
      channels == 0 ? ""
                    : fmt::format(", or fewer --algorithms by windows, whose channels take {}",
                                  text::human_bytes(channels))));
}

}  // namespace

void require_memory(Setup& setup, MPI_Comm world) {
  const Allowance allowance = find_memory_allowance(setup.options, setup.nodes, world);

  setup.memory_allowed = allowance.bytes;
  // Its buffers, and the channels of two ranks of a node.
  const std::int64_t measuring = model_memory + mpi::NodeWindow::bytes_of_rank(2);
  if (setup.options.measure_model && allowance.bytes < measuring) {
    throw text::InputError(fmt::format("--measure-model: needs {} a rank; {} are allowed: {}",
                                       text::human_bytes(measuring),
                                       text::human_bytes(allowance.bytes), allowance.source));
  }
  const std::int64_t channels = channel_bytes_of_rank(setup);
  for (const MappedCases& part : setup.parts) {
    for (const Case& one : part.cases) {
      const MemoryNeed need = memory_of(setup, one, channels);
      if (choose_memory(setup.options, one.key.bytes) == mpi::Memory::folded) {
        setup.max_folded = most_of(setup.max_folded, need);
        continue;
      }
      setup.max_memory = most_of(setup.max_memory, need);
      if (need.total() > allowance.bytes) throw too_much(setup, one, need, channels, allowance);
    }
  }
}

}  // namespace gatherbench::bench
