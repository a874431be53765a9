// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/show_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace gatherbench::allgather_schedule {
namespace {

/// "0 3 4-6": the blocks of a transfer in the order in which they travel.
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

/// " {0 3} to 1, {4} to 2"
std::string transfers_text(const algorithms::TransferList::Transfers& transfers,
                           std::string_view preposition) {
  std::string text;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    text +=
        fmt::format("{}{{{}}} {} {}{}", i == 0 ? "" : ", ", blocks_text(transfers[i]), preposition,
                    transfers[i].peer, combines(transfers[i]) ? " (combined)" : "");
  }
  return text.empty() ? "nothing" : text;
}

/// rounds: of each transfer; empty if it is not known.
std::string transfers_json(const algorithms::TransferList::Transfers& transfers,
                           std::span<const std::size_t> rounds) {
  std::string json = "[";
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    json += fmt::format("{}{{\"peer\": {}, ", i == 0 ? "" : ", ", transfers[i].peer);
    if (!rounds.empty()) json += fmt::format("\"round\": {}, ", rounds[i]);
    if (combines(transfers[i])) json += "\"combined\": true, ";
    json += "\"blocks\": [";
    std::string_view separator;
    for (const algorithms::BlockRange& range : transfers[i].blocks) {
      json += fmt::format("{}[{}, {}]", separator, range.first, range.count);
      separator = ", ";
    }
    json += "]}";
  }
  return json + "]";
}

std::string step_json(const algorithms::Step& step, const proof::StepRounds* rounds) {
  const proof::StepRounds unknown;
  const proof::StepRounds& known = rounds != nullptr ? *rounds : unknown;
  return fmt::format("{{{}{}\"sends\": {}, \"receives\": {}}}",
                     rounds != nullptr ? fmt::format("\"round\": {}, ", rounds->begin) : "",
                     step.barrier  ? "\"barrier\": true, "
                     : step.leaves ? "\"leaves\": true, "
                                   : "",
                     transfers_json(step.sends, known.sends),
                     transfers_json(step.receives, known.receives));
}

std::vector<std::size_t> background_steps(const Shown& shown) {
  std::vector<std::size_t> steps;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    steps.push_back(schedule.background_steps());
  }
  return steps;
}

/// Of each schedule; empty if all work at final places.
std::vector<int> scratch_first_blocks(const Shown& shown) {
  std::vector<int> first;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    first.push_back(schedule.scratch_first_block);
  }
  if (std::ranges::count(first, 0) == std::ssize(first)) first.clear();
  return first;
}

/// Empty where block b is rank b's.
std::vector<int> owners_of_blocks(const Shown& shown) {
  const int blocks = shown.collective.blocks(shown.ranks);
  std::vector<int> owners;
  if (blocks == shown.ranks || shown.collective.combines) return owners;
  owners.resize(static_cast<std::size_t>(blocks));
  for (int rank = 0; rank < shown.ranks; ++rank) {
    const collectives::Part part = part_of(shown.collective, rank, shown.ranks, shown.root);
    for (const auto& [first, count] : part.initial) {
      std::fill_n(owners.begin() + first, count, rank);
    }
  }
  return owners;
}

}  // namespace

std::string show_text(const Shown& shown) {
  std::string text = fmt::format("{}, {} ranks", shown.algorithm, shown.ranks);
  if (shown.rank) text += fmt::format(", rank {}", *shown.rank);
  text += '\n';
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    steps = std::max(steps, schedule.steps());
  }
  for (std::size_t s = 0; s < steps; ++s) {
    if (shown.rank) {
      const algorithms::Step step = shown.schedules[0].step(s);
      text += fmt::format("step {}{}: sends {}; receives {}\n", s,
                          step.barrier ? ", after a barrier" : "", transfers_text(step.sends, "to"),
                          transfers_text(step.receives, "from"));
      continue;
    }
    const auto has_barrier = [s](const algorithms::Schedule& schedule) {
      return s < schedule.steps() && schedule.step(s).barrier;
    };
    text +=
        fmt::format("step {}{}\n", s,
                    std::ranges::any_of(shown.schedules, has_barrier) ? ", after a barrier" : "");
    for (std::size_t r = 0; r < shown.schedules.size(); ++r) {
      if (s >= shown.schedules[r].steps()) continue;
      const algorithms::TransferList::Transfers sends = shown.schedules[r].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        text += fmt::format("  {} -> {}: {}\n", r, sends[i].peer, blocks_text(sends[i]));
      }
    }
  }
  if (shown.in_background) {
    text += fmt::format("steps in the background{}: {}\n", shown.rank ? "" : ", of each rank",
                        fmt::join(background_steps(shown), " "));
  }
  if (shown.schedules[0].broadcast_at_end) {
    text += fmt::format("then MPI_Bcast of all blocks from rank {}\n",
                        shown.schedules[0].broadcast_root);
  }
  return text;
}

std::string show_json(const Shown& shown) {
  std::string json = fmt::format("{{\"algorithm\": \"{}\", \"collective\": \"{}\", \"ranks\": {}, ",
                                 shown.algorithm, shown.collective.name, shown.ranks);
  if (shown.rank) json += fmt::format("\"rank\": {}, ", *shown.rank);
  if (const std::vector<int> owners = owners_of_blocks(shown); !owners.empty()) {
    json += fmt::format("\"owners\": {}, ", owners);
  }
  if (shown.collective.combines) json += "\"combines\": true, ";
  if (shown.schedules[0].segmentation != algorithms::Segmentation{}) {
    std::vector<int> counts;
    const auto blocks = static_cast<int>(shown.segments.first.size()) - 1;
    for (int block = 0; block < blocks; ++block) counts.push_back(shown.segments.count(block));
    json += fmt::format("\"segments\": {}, ", counts);
  }
  if (shown.schedules[0].broadcast_at_end) {
    json += fmt::format("\"broadcast_at_end\": true, \"broadcast_root\": {}, ",
                        shown.schedules[0].broadcast_root);
  }
  if (shown.in_background) {
    json += fmt::format("\"background_steps\": {}, ", background_steps(shown));
  }
  if (const std::vector<int> first = scratch_first_blocks(shown); !first.empty()) {
    json += fmt::format("\"scratch_first_block\": {}, ", first);
  }
  const bool faulty = shown.rounds && !shown.rounds->fault.empty();
  if (faulty) {
    json += fmt::format("\"fault\": \"{}\", ", shown.rounds->fault);
  } else if (shown.rounds) {
    json += fmt::format("\"rounds\": {}, ", shown.rounds->count);
  }
  json += "\"schedules\": [";
  for (std::size_t r = 0; r < shown.schedules.size(); ++r) {
    json += r == 0 ? "\n[" : ",\n[";
    for (std::size_t s = 0; s < shown.schedules[r].steps(); ++s) {
      if (s > 0) json += ", ";
      json += step_json(shown.schedules[r].step(s),
                        shown.rounds && !faulty ? &shown.rounds->ranks[r][s] : nullptr);
    }
    json += ']';
  }
  return json + "]}\n";
}

}  // namespace gatherbench::allgather_schedule
