// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <algorithm>
#include <array>

#include "algorithms/formulas.h"
#include "algorithms/needs.h"
#include "algorithms/parameters.h"

namespace gatherbench::algorithms {

Generator ring, neighbor_exchange, recursive_doubling, bruck, bruck_in_place, sparbit, linear,
    spread, shift, shift_light_barrier, shift_mpi_barrier, shift_n_barriers, pair,
    pair_light_barrier, pair_mpi_barrier, pair_n_barriers, mesh2d, mesh3d, gather_bcast,
    linear_gather_bcast, topology_ring, recursive_halving, recursive_exchange, pipelined_ring,
    leader, lane, bdr, bslb;
RankOrder depth_first_order, two_hop_order, optimal_order;

namespace {

constexpr std::string_view stage = "Faraj 2006, 4.1.1.1";

constexpr std::array table{
    Algorithm{.name = "ring",
              .summary = "pass blocks on to the right neighbour",
              .source = "Loch 2021, 2.4.1; Faraj 2006, 3.3.2",
              .in_thesis = true,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = ring},
    Algorithm{.name = "neighbor_exchange",
              .summary = "exchange pairs of blocks with both neighbours in turn",
              .source = "Chen et al. 2005; Loch 2021, 2.4.2",
              .needs = &needs::even_ranks,
              .in_thesis = true,
              .can_be_inner = true,
              .steps = &formulas::half_p,
              .messages = &formulas::pairs_of_blocks,
              .bytes = &formulas::all_bytes,
              .schedule = neighbor_exchange},
    Algorithm{.name = "recursive_doubling",
              .summary = "exchange all that is held at doubling distances",
              .source = "Loch 2021, 2.4.3",
              .needs = &needs::power_of_two,
              .in_thesis = true,
              .can_be_inner = true,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::log2_p,
              .messages = &formulas::recursive_doubling_messages,
              .bytes = &formulas::all_bytes,
              .schedule = recursive_doubling},
    Algorithm{
        .name = "bruck",
        .summary = "growing distances, any p, in a rotated scratch buffer that is copied back",
        .source = "Bruck et al. 1997; Loch 2021, 2.4.4",
        .parameter = &parameters::radix,
        .in_thesis = true,
        .uses_scratch = true,
        .symmetry = Symmetry::shift,
        .steps = &formulas::radix_steps,
        .messages = &formulas::radix_messages,
        .bytes = &formulas::all_bytes,
        .schedule = bruck},
    Algorithm{.name = "bruck_in_place",
              .summary = "bruck's messages from and to final places, no scratch, no copies",
              .source = "Bruck et al. 1997",
              .parameter = &parameters::radix,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::radix_steps,
              .messages = &formulas::radix_messages_in_place,
              .bytes = &formulas::all_bytes,
              .schedule = bruck_in_place},
    Algorithm{.name = "sparbit",
              .summary = "parallel binomial trees at halving distances, one message a block",
              .source = "Loch 2021, chapter 4",
              .in_thesis = true,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::ceil_log2_p,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = sparbit},
    Algorithm{.name = "linear",
              .summary = "send to all from rank 0 on, all in flight",
              .source = stage,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::one,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = linear},
    Algorithm{.name = "spread",
              .summary = "send to all from the next rank on, all in flight",
              .source = stage,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::one,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = spread},
    Algorithm{.name = "shift",
              .summary = "own block to r+1, r+2, ... one by one",
              .source = stage,
              .can_be_inner = true,
              .symmetry = Symmetry::shift,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = shift},
    Algorithm{.name = "shift_light_barrier",
              .summary = "shift, each step begun by a token from the receiver",
              .source = stage,
              .symmetry = Symmetry::shift,
              .steps = &formulas::with_tokens_steps,
              .messages = &formulas::with_tokens_messages,
              .bytes = &formulas::all_bytes,
              .schedule = shift_light_barrier},
    Algorithm{.name = "shift_mpi_barrier",
              .summary = "shift, a barrier between steps",
              .source = stage,
              .symmetry = Symmetry::shift,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .barriers = &formulas::barriers_between,
              .schedule = shift_mpi_barrier},
    Algorithm{.name = "shift_n_barriers",
              .summary = "shift, n barriers spread evenly",
              .source = stage,
              .needs = &needs::three_ranks,
              .parameter = &parameters::barriers,
              .symmetry = Symmetry::shift,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .barriers = &formulas::n_barriers,
              .schedule = shift_n_barriers},
    Algorithm{.name = "pair",
              .summary = "exchange own block with r XOR 1, r XOR 2, ... one by one",
              .source = stage,
              .needs = &needs::power_of_two,
              .can_be_inner = true,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = pair},
    Algorithm{.name = "pair_light_barrier",
              .summary = "pair, each step begun by a token from the partner",
              .source = stage,
              .needs = &needs::power_of_two,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::with_tokens_steps,
              .messages = &formulas::with_tokens_messages,
              .bytes = &formulas::all_bytes,
              .schedule = pair_light_barrier},
    Algorithm{.name = "pair_mpi_barrier",
              .summary = "pair, a barrier between steps",
              .source = stage,
              .needs = &needs::power_of_two,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .barriers = &formulas::barriers_between,
              .schedule = pair_mpi_barrier},
    Algorithm{.name = "pair_n_barriers",
              .summary = "pair, n barriers spread evenly",
              .source = stage,
              .needs = &needs::power_of_two_from_4,
              .parameter = &parameters::barriers,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .barriers = &formulas::n_barriers,
              .schedule = pair_n_barriers},
    Algorithm{.name = "mesh2d",
              .summary = "all-gather in rows, then in columns of a mesh",
              .source = stage,
              .needs = &needs::two_factors,
              .can_be_inner = true,
              .steps = &formulas::two,
              .messages = &formulas::mesh2d_messages,
              .bytes = &formulas::all_bytes,
              .schedule = mesh2d},
    Algorithm{.name = "mesh3d",
              .summary = "the same in three dimensions",
              .source = stage,
              .needs = &needs::three_factors,
              .can_be_inner = true,
              .steps = &formulas::three,
              .messages = &formulas::mesh3d_messages,
              .bytes = &formulas::all_bytes,
              .schedule = mesh3d},
    Algorithm{.name = "gather_bcast",
              .summary = "binomial gather to rank 0, binomial broadcast",
              .source = stage,
              .moves_twice = true,
              .steps = &formulas::gather_bcast_steps,
              .messages = &formulas::gather_bcast_messages,
              .bytes = &formulas::gather_bcast_bytes,
              .schedule = gather_bcast},
    Algorithm{.name = "linear_gather_bcast",
              .summary = "all send to rank 0, then the library's MPI_Bcast",
              .source = "Proficz 2021 (LNBC)",
              .steps = &formulas::linear_gather_steps,
              .messages = &formulas::linear_gather_messages,
              .bytes = &formulas::linear_gather_bytes,
              .schedule = linear_gather_bcast},
    Algorithm{.name = "topology_ring",
              .summary = "ring over the hosts in depth-first order of the switches",
              .source = "Faraj 2006, 3.3.2, Algorithm 1",
              .needs = &needs::switch_tree,
              .contention_free = true,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = topology_ring,
              .order = depth_first_order},
    Algorithm{.name = "topology_ring_two_hop",
              .summary = "the ring that never passes more than two switches",
              .source = "Faraj 2006, 3.3.2, Algorithm 2",
              .needs = &needs::two_hop_switch_tree,
              .contention_free = true,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = topology_ring,
              .order = two_hop_order},
    Algorithm{.name = "topology_ring_optimal",
              .summary = "the ring whose longest path passes the fewest switches",
              .source = "Faraj 2006, 3.3.2, Algorithm 3",
              .needs = &needs::switch_tree,
              .contention_free = true,
              .steps = &formulas::p_minus_1,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = topology_ring,
              .order = optimal_order},
    Algorithm{.name = "recursive_halving",
              .summary = "exchange all that is held at halving distances",
              .source = "Pappalardo et al., 6",
              .needs = &needs::power_of_two,
              .can_be_inner = true,
              .symmetry = Symmetry::exclusive_or,
              .steps = &formulas::log2_p,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = recursive_halving},
    Algorithm{.name = "recursive_exchange",
              .summary = "recursive doubling of radix k, any p, by folding in and out",
              .source = "MPICH; UCC",
              .parameter = &parameters::radix,
              .moves_twice = true,
              .steps = &formulas::recursive_exchange_steps,
              .messages = &formulas::recursive_exchange_messages,
              .bytes = &formulas::recursive_exchange_bytes,
              .schedule = recursive_exchange},
    Algorithm{.name = "pipelined_ring",
              .summary = "ring over segments, for blocks of unequal size",
              .source = "Traeff et al. 2008",
              .needs = &needs::few_segments,
              .parameter = &parameters::segment,
              .symmetry = Symmetry::shift,
              .steps = &formulas::segment_steps,
              .messages = &formulas::segment_messages,
              .bytes = &formulas::all_bytes,
              .schedule = pipelined_ring},
    Algorithm{.name = "leader",
              .summary = "gather on the node, all-gather among leaders, broadcast",
              .source = "Kandalla et al. 2009; HAN of Open MPI",
              .needs = &needs::inner,
              .parameter = &parameters::inner,
              .uses_nodes = true,
              .moves_twice = true,
              .steps = &formulas::leader_steps,
              .messages = &formulas::leader_messages,
              .bytes = &formulas::leader_bytes,
              .schedule = leader},
    Algorithm{.name = "lane",
              .summary = "every local rank all-gathers its lane, then the node exchanges",
              .source = "Traeff 2020; MPI Advance",
              .needs = &needs::inner,
              .parameter = &parameters::inner,
              .uses_nodes = true,
              .steps = &formulas::lane_steps,
              .messages = &formulas::lane_messages,
              .bytes = &formulas::all_bytes,
              .schedule = lane},
    Algorithm{.name = "bdr",
              .summary = "ring, early ranks sending ahead in the background of late ones",
              .source = "Proficz 2021, listing 2 (BDR)",
              .parameter = &parameters::message_time,
              .uses_arrivals = true,
              .steps = &formulas::ring_steps_at_once,
              .messages = &formulas::each_block_once,
              .bytes = &formulas::all_bytes,
              .schedule = bdr},
    Algorithm{.name = "bslb",
              .summary = "rank 0 gathers in order of arrival in the background, then MPI_Bcast",
              .source = "Proficz 2021, listing 3 (BSLB)",
              .parameter = &parameters::head,
              .uses_arrivals = true,
              .steps = &formulas::sorted_gather_steps,
              .messages = &formulas::sorted_gather_messages,
              .bytes = &formulas::linear_gather_bytes,
              .schedule = bslb},
    Algorithm{.name = "library_gather_bcast",
              .summary = "MPI_Gather(v) to rank 0, then MPI_Bcast",
              .source = "Pappalardo et al., algorithm 2",
              .library_call = LibraryCall::gather_bcast},
    Algorithm{.name = "native",
              .summary = "the MPI library's own choice; native:NAME its algorithm NAME",
              .source = "MPI_Allgather, MPI_Allgatherv",
              .library_call = LibraryCall::allgather},
};

constexpr bool names_unique() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (table[i].name == table[j].name) return false;
    }
  }
  return true;
}
static_assert(names_unique());

}  // namespace

std::span<const Algorithm> all_algorithms() { return table; }

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : table) names.push_back(algorithm.name);
  return names;
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Algorithm::name);
  return found == table.end() ? nullptr : found;
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.order == nullptr || !problem.order.empty()) return algorithm.schedule(problem);
  const std::vector<int> order = algorithm.order(problem);
  Problem ordered = problem;
  ordered.order = order;
  return algorithm.schedule(ordered);
}

std::vector<Schedule> make_schedules(const Algorithm& algorithm, Problem problem) {
  std::vector<int> order;
  if (algorithm.order != nullptr) order = algorithm.order(problem);
  problem.order = order;
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(problem.ranks));
  for (problem.rank = 0; problem.rank < problem.ranks; ++problem.rank) {
    schedules.push_back(algorithm.schedule(problem));
  }
  return schedules;
}

std::string why_not(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.needs == nullptr ? std::string() : algorithm.needs->why_not(problem);
}

std::string_view needs_text(const Algorithm& algorithm) {
  return algorithm.needs == nullptr ? "any p" : algorithm.needs->text;
}

}  // namespace gatherbench::algorithms
