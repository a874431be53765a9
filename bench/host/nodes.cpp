// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/nodes.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "formats/mapping.h"
#include "formats/text/words.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

std::string format_processors(const cpu_set_t& set) {
  std::vector<int> numbers;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) numbers.push_back(cpu);
  }
  return text::format_runs(numbers);
}

/// Everybody's `own`, which has the same length on all ranks. Not by MPI_Allgather: in a simulation
/// of hundreds of ranks the p (p - 1) messages at once of a simple one take minutes.
template <typename Element>
std::vector<Element> gather_all(std::span<const Element> own, MPI_Comm comm) {
  std::vector<Element> all(own.size() * static_cast<std::size_t>(mpi::size_of(comm)));
  const auto bytes = static_cast<int>(own.size_bytes());
  mpi::require(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm),
               "MPI_Gather");
  const auto all_bytes = static_cast<int>(all.size() * sizeof(Element));
  mpi::require(MPI_Bcast(all.data(), all_bytes, MPI_BYTE, 0, comm), "MPI_Bcast");
  return all;
}

std::string format_binding(std::span<const cpu_set_t> sets) {
  std::map<std::string, std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < sets.size(); ++rank) {
    ranks_of[format_processors(sets[rank])].push_back(static_cast<int>(rank));
  }
  std::string text;
  for (const auto& [processors, ranks] : ranks_of) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", text::format_runs(ranks), processors);
  }
  return text;
}

}  // namespace

Nodes find_nodes(MPI_Comm comm) {
  const int lowest = mpi::lowest_rank_on_node(comm);

  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  mpi::require(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  const cpu_set_t own_set = mpi::own_processors();

  const auto lowest_ranks = gather_all(std::span<const int>(&lowest, 1), comm);
  const auto names = gather_all(std::span<const char>(name), comm);
  const auto sets = gather_all(std::span<const cpu_set_t>(&own_set, 1), comm);

  Nodes nodes;
  std::map<int, int> node_of_lowest;
  std::vector<cpu_set_t> processors;
  for (std::size_t r = 0; r < lowest_ranks.size(); ++r) {
    const auto [entry, fresh] = node_of_lowest.try_emplace(lowest_ranks[r], nodes.count());
    if (fresh) {
      nodes.hosts.emplace_back(&names[r * name.size()]);
      nodes.ranks_on.push_back(0);
      processors.emplace_back();
      CPU_ZERO(&processors.back());
    }
    const auto index = static_cast<std::size_t>(entry->second);
    nodes.of_rank.push_back(entry->second);
    ++nodes.ranks_on[index];
    CPU_OR(&processors[index], &processors[index], &sets[r]);
  }
  for (std::size_t i = 0; i < processors.size(); ++i) {
    nodes.oversubscribed |= nodes.ranks_on[i] > CPU_COUNT(&processors[i]);
  }
  nodes.one_clock =
      mpi::rank_model().one_process || (nodes.count() == 1 && mpi::share_steady_clock(comm));
  nodes.binding = format_binding(sets);
  return nodes;
}

std::vector<int> order_ranks(std::span<const int> node_of_rank, Mapping mapping) {
  std::vector<int> order(node_of_rank.size());
  std::iota(order.begin(), order.end(), 0);
  const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
  if (mapping == Mapping::sequential) {
    std::ranges::stable_sort(order, {}, node);
  } else if (mapping == Mapping::cyclic) {
    // The k-th rank of its node comes in turn k.
    std::map<int, int> seen;
    std::vector<int> turn(order.size());
    for (const int rank : order) turn[static_cast<std::size_t>(rank)] = seen[node(rank)]++;
    std::ranges::stable_sort(order, {}, [&](int rank) {
      return std::pair(turn[static_cast<std::size_t>(rank)], node(rank));
    });
  }
  return order;
}

std::string_view classify_order(std::span<const int> node_of_rank) {
  for (const Mapping mapping : {Mapping::sequential, Mapping::cyclic}) {
    if (std::ranges::is_sorted(order_ranks(node_of_rank, mapping))) return name_of(mapping);
  }
  return formats::custom_placement;
}

std::string note_on_launch(std::span<const int> node_of_rank, Mapping asked) {
  if (std::ranges::is_sorted(order_ranks(node_of_rank, asked))) return {};
  return fmt::format("--launched-mapping {}: the launcher was asked for it, but the ranks lie {}",
                     name_of(asked), classify_order(node_of_rank));
}

mpi::Communicator renumber_ranks(MPI_Comm comm, std::span<const int> order) {
  const auto place = std::ranges::find(order, mpi::rank_of(comm)) - order.begin();
  MPI_Comm handle = MPI_COMM_NULL;
  mpi::require(MPI_Comm_split(comm, 0, static_cast<int>(place), &handle), "MPI_Comm_split");
  return mpi::Communicator(handle);
}

}  // namespace gatherbench::bench
