// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bench/conditions/block_places.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {

std::vector<MappedOrder> find_orders(const Options& options, std::span<const int> node_of_rank,
                                     std::vector<std::string>& notes) {
  std::vector<MappedOrder> orders;
  const int nodes = std::ranges::max(node_of_rank) + 1;
  for (const Mapping mapping : options.mappings) {
    std::vector<int> order = order_ranks(node_of_rank, mapping);
    const auto same = std::ranges::find(orders, order, &MappedOrder::order);
    if (same == orders.end()) {
      orders.push_back({std::string(name_of(options.asked(mapping))), std::move(order)});
    } else {
      notes.push_back(
          fmt::format("mapping {} numbers the ranks as {} does ({} node{}): not run twice",
                      name_of(mapping), same->label, nodes, nodes == 1 ? "" : "s"));
    }
  }
  return orders;
}

std::vector<Case> make_cases(const Options& options, const Group& largest, const MappedOrder& order,
                             std::span<const distributions::Distribution> distributions,
                             std::span<const arrivals::ArrivalPattern> arrivals) {
  const collectives::Collective& collective = *options.collective;
  std::vector<Case> cases;
  const auto add = [&](const distributions::Distribution& distribution,
                       const arrivals::ArrivalPattern& arrival, std::int64_t bytes) {
    Case one{{std::string(collective.name), distribution.label, arrival.label, order.label,
              largest.size(), largest.nodes, bytes, 0},
             &collective,
             &distribution,
             &arrival,
             options.element(),
             options.displacements.value_or(Displacements{})};
    one.key.buffer_offset = options.places.offsets.in_row();
    try {
      cases.push_back(case_of(largest, one));
    } catch (const text::InputError& error) {
      throw text::bad_value(options.sizes_option, fmt::to_string(bytes), error.what());
    }
  };
  for (const distributions::Distribution& distribution : distributions) {
    for (const arrivals::ArrivalPattern& arrival : arrivals) {
      for (const std::int64_t bytes : options.sizes) add(distribution, arrival, bytes);
    }
  }
  return cases;
}

void shuffle_sizes(std::vector<Case>& cases, std::uint64_t seed) {
  constexpr std::uint32_t sizes = 0x73697a65;  // keeps it apart from what else the seed is for
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      sizes};
  std::mt19937_64 random(seeds);
  for (auto first = cases.begin(); first != cases.end();) {
    const auto end = std::find_if(first, cases.end(), [&](const Case& one) {
      return one.distribution != first->distribution || one.arrival != first->arrival;
    });
    std::shuffle(first, end, random);
    first = end;
  }
}

Case case_of(const Group& group, const Case& the_case) {
  Case own = the_case;
  own.key.ranks = group.size();
  own.key.nodes = group.nodes;
  own.key.total_bytes = 0;
  const mpi::Layout layout = make_layout(own);
  for (const int rank : unlike_ranks(group.size(), layout)) {
    own.key.total_bytes =
        std::max(own.key.total_bytes, layout.bytes(own.collective->goal(rank, group.size())));
  }
  return own;
}

namespace {

/// Returns the layout, however large its blocks are.
mpi::Layout place_all(const Case& the_case) {
  const int blocks = the_case.collective->blocks(the_case.key.ranks);
  if (the_case.displacements == Displacements{}) {
    if (const auto each =
            distributions::equal_size(*the_case.distribution, blocks, the_case.key.bytes)) {
      mpi::Layout layout(blocks, *each);
      layout.count_in(the_case.element);
      return layout;
    }
  }
  return place_blocks(
      distributions::block_sizes(*the_case.distribution, blocks, the_case.key.bytes),
      the_case.displacements, the_case.element);
}

}  // namespace

mpi::Layout make_layout(const Case& the_case) {
  mpi::Layout layout = place_all(the_case);
  const double gaps = static_cast<double>(the_case.displacements.gap) * layout.blocks();
  const double data =
      static_cast<double>(layout.total()) / static_cast<double>(the_case.element.bytes);
  const double bytes = data * static_cast<double>(the_case.element.extent) + gaps;
  require_countable(bytes, the_case.key.ranks, the_case.key.distribution);
  return layout;
}

void require_countable(double bytes, int ranks, std::string_view blocks) {
  if (bytes * ranks <= static_cast<double>(most_bytes_of_ranks)) return;
  throw text::InputError(fmt::format(
      "takes more than 2^53 bytes of the memory of {} ranks together, as {}; legal: smaller blocks",
      ranks, blocks));
}

std::vector<int> unlike_ranks(int ranks, const mpi::Layout& layout) {
  std::vector<int> unlike(static_cast<std::size_t>(layout.is_equal() ? std::min(ranks, 2) : ranks));
  std::iota(unlike.begin(), unlike.end(), 0);
  return unlike;
}

}  // namespace gatherbench::bench
