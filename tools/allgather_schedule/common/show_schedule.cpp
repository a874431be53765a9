// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/show_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gatherbench::allgather_schedule {
namespace {

/// Returns the blocks of a transfer in the order in which they travel, such as "0 3 4-6".
std::string blocks_text(const algorithms::Transfer& transfer) {
  std::string text;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    if (!text.empty()) text += ' ';
    text += fmt::to_string(range.first);
    if (range.count > 1) text += fmt::format("-{}", range.first + range.count - 1);
  }
  return text;
}

bool combines(const algorithms::Transfer& transfer) {
  return transfer.incoming != algorithms::Incoming::store;
}

/// Prints such as "{0 3} to 1, {4} to 2": the blocks of each transfer and its peer.
void print_transfers(const algorithms::TransferList::Transfers& transfers,
                     std::string_view preposition, const Print& print) {
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    print(fmt::format("{}{{{}}} {} {}{}", i == 0 ? "" : ", ", blocks_text(transfers[i]),
                      preposition, transfers[i].peer, combines(transfers[i]) ? " (combined)" : ""));
  }
  if (transfers.empty()) print("nothing");
}

void print_step_of_rank(const algorithms::Step& step, std::size_t number, const Print& print) {
  print(fmt::format("step {}{}: sends ", number, step.barrier ? ", after a barrier" : ""));
  print_transfers(step.sends, "to", print);
  print("; receives ");
  print_transfers(step.receives, "from", print);
  print("\n");
}

void print_step_of_all(const Shown& shown, std::size_t s, const Print& print) {
  const auto has_barrier = [s](const algorithms::Schedule& schedule) {
    return s < schedule.steps() && schedule.step(s).barrier;
  };
  print(fmt::format("step {}{}\n", s,
                    std::ranges::any_of(shown.schedules, has_barrier) ? ", after a barrier" : ""));
  for (std::size_t r = 0; r < shown.schedules.size(); ++r) {
    if (s >= shown.schedules[r].steps()) continue;
    const algorithms::TransferList::Transfers sends = shown.schedules[r].step(s).sends;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      print(fmt::format("  {} -> {}: {}\n", r, sends[i].peer, blocks_text(sends[i])));
    }
  }
}

}  // namespace

std::vector<std::size_t> background_steps(const Shown& shown) {
  std::vector<std::size_t> steps;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    steps.push_back(schedule.background_steps());
  }
  return steps;
}

void print_text(const Shown& shown, const Print& print) {
  print(fmt::format("{}, {} ranks{}\n", shown.algorithm, shown.ranks,
                    shown.rank ? fmt::format(", rank {}", *shown.rank) : ""));
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    steps = std::max(steps, schedule.steps());
  }
  for (std::size_t s = 0; s < steps; ++s) {
    if (shown.rank) {
      print_step_of_rank(shown.schedules[0].step(s), s, print);
    } else {
      print_step_of_all(shown, s, print);
    }
  }
  if (shown.in_background) {
    print(fmt::format("steps in the background{}: {}\n", shown.rank ? "" : ", of each rank",
                      fmt::join(background_steps(shown), " ")));
  }
  if (shown.schedules[0].broadcast_at_end) {
    print(fmt::format("then MPI_Bcast of all blocks from rank {}\n",
                      shown.schedules[0].broadcast_root));
  }
  if (shown.schedules[0].contributions > 0) {
    print("then each rank combines all blocks, in the order of ranks\n");
  }
}

std::string show_text(const Shown& shown) {
  std::string text;
  print_text(shown, [&text](std::string_view part) { text += part; });
  return text;
}

}  // namespace gatherbench::allgather_schedule
