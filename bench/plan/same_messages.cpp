// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/same_messages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/fnv1a.h"

namespace gatherbench::bench {
namespace {

/// Returns whether its schedule may be another where blocks are of other sizes.
bool depends_on_sizes(const algorithms::Choice& choice) {
  return algorithms::moves_by_size(choice) ||
         (choice.order != nullptr && choice.order->by == algorithms::OrderedBy::block_sizes);
}

/// Returns whether its schedule depends on nothing but the ranks and their places.
bool has_settled_schedule(const Contender& contender) {
  const algorithms::Algorithm& algorithm = *contender.choice.algorithm;
  return !contender.why_not.has_value() && algorithm.schedules() != nullptr &&
         !algorithm.is<algorithms::ByArrivals>() && !depends_on_sizes(contender.choice);
}

void add(formats::Fnv1a& hash, const algorithms::TransferList::Transfers& transfers) {
  hash(transfers.size());
  for (const algorithms::Transfer& transfer : transfers) {
    hash(transfer.peer);
    hash(static_cast<int>(transfer.incoming));
    hash(transfer.blocks.size());
    for (const algorithms::BlockRange& range : transfer.blocks) {
      hash(range.first);
      hash(range.count);
    }
  }
}

void add(formats::Fnv1a& hash, const algorithms::Schedule& schedule) {
  hash(schedule.scratch_first_block);
  hash(schedule.broadcast_at_end);
  hash(schedule.broadcast_root);
  hash(schedule.contributions);
  hash(schedule.steps());
  for (std::size_t i = 0; i < schedule.steps(); ++i) {
    const algorithms::Step step = schedule.step(i);
    hash(step.barrier);
    hash(step.leaves);
    add(hash, step.sends);
    add(hash, step.receives);
  }
}

/// Returns a hash of what the algorithm does on one rank.
std::uint64_t hash_of(const algorithms::Choice& choice,
                      std::span<const algorithms::Placement> placements,
                      algorithms::Noncontiguous noncontiguous, int rank, int ranks) {
  formats::Fnv1a hash;
  hash(rank);  // so that ranks which change places do not cancel out
  const algorithms::MessageForm form = form_of(choice, noncontiguous);
  hash(static_cast<int>(form.noncontiguous));
  hash(form.batch);
  hash(static_cast<int>(choice.via));
  hash(choice.stage.on_host);
  hash(choice.stage.pieces);
  const BlockBytes block_bytes(mpi::Layout(ranks, 1));
  for (const algorithms::Placement& placement : placements) {
    add(hash, algorithms::make_schedule(*choice.algorithm,
                                        make_problem(choice, placement, block_bytes, rank, ranks)));
  }
  return hash.value();
}

}  // namespace

std::string find_same_messages(std::span<const Contender> contenders,
                               std::span<const algorithms::Placement> placements,
                               algorithms::Noncontiguous noncontiguous, MPI_Comm comm) {
  std::vector<std::string> labels;
  std::vector<std::uint64_t> hashes;
  for (const Contender& contender : contenders) {
    if (!has_settled_schedule(contender)) continue;
    labels.push_back(contender.label);
    hashes.push_back(hash_of(contender.choice, placements, noncontiguous, mpi::rank_of(comm),
                             mpi::size_of(comm)));
  }
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, hashes.data(), static_cast<int>(hashes.size()),
                             MPI_UINT64_T, MPI_SUM, comm),
               "MPI_Allreduce");
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto first = std::ranges::find(hashes, hashes[i]);
    if (first - hashes.begin() != static_cast<std::ptrdiff_t>(i)) continue;  // named already
    std::string same;
    for (std::size_t other = i + 1; other < labels.size(); ++other) {
      if (hashes[other] == hashes[i]) same += " = " + labels[other];
    }
    if (same.empty()) continue;
    text += (text.empty() ? "" : "; ") + labels[i] + same;
  }
  return text;
}

}  // namespace gatherbench::bench
