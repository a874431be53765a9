// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/show_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace gatherbench::inspect {
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

/// " {0 3} to 1, {4} to 2"
std::string transfers_text(const algorithms::TransferList::Transfers& transfers,
                           std::string_view preposition) {
  std::string text;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{{{}}} {} {}", i == 0 ? "" : ", ",
                   blocks_text(transfers[i]), preposition, transfers[i].peer);
  }
  return text.empty() ? "nothing" : text;
}

std::string transfers_json(const algorithms::TransferList::Transfers& transfers) {
  std::string json = "[";
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    fmt::format_to(std::back_inserter(json), "{}{{\"peer\": {}, \"blocks\": [", i == 0 ? "" : ", ",
                   transfers[i].peer);
    std::string_view separator;
    for (const algorithms::BlockRange& range : transfers[i].blocks) {
      fmt::format_to(std::back_inserter(json), "{}[{}, {}]", separator, range.first, range.count);
      separator = ", ";
    }
    json += "]}";
  }
  return json + "]";
}

std::vector<std::size_t> background_steps(const Shown& shown) {
  std::vector<std::size_t> steps;
  for (const algorithms::Schedule& schedule : shown.schedules)
    steps.push_back(schedule.background_steps());
  return steps;
}

}  // namespace

std::string show_text(const Shown& shown) {
  std::string text = fmt::format("{}, {} ranks", shown.algorithm, shown.ranks);
  if (shown.rank) text += fmt::format(", rank {}", *shown.rank);
  text += '\n';
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : shown.schedules)
    steps = std::max(steps, schedule.steps());
  const auto out = std::back_inserter(text);
  for (std::size_t s = 0; s < steps; ++s) {
    if (shown.rank) {
      const algorithms::Step step = shown.schedules[0].step(s);
      fmt::format_to(out, "step {}{}: sends {}; receives {}\n", s,
                     step.barrier ? ", after a barrier" : "", transfers_text(step.sends, "to"),
                     transfers_text(step.receives, "from"));
      continue;
    }
    const auto has_barrier = [s](const algorithms::Schedule& schedule) {
      return s < schedule.steps() && schedule.step(s).barrier;
    };
    fmt::format_to(out, "step {}{}\n", s,
                   std::ranges::any_of(shown.schedules, has_barrier) ? ", after a barrier" : "");
    for (std::size_t r = 0; r < shown.schedules.size(); ++r) {
      if (s >= shown.schedules[r].steps()) continue;
      const algorithms::TransferList::Transfers sends = shown.schedules[r].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        fmt::format_to(out, "  {} -> {}: {}\n", r, sends[i].peer, blocks_text(sends[i]));
      }
    }
  }
  if (shown.in_background) {
    fmt::format_to(out, "steps in the background{}: {}\n", shown.rank ? "" : ", of each rank",
                   fmt::join(background_steps(shown), " "));
  }
  if (shown.schedules[0].broadcast_at_end) text += "then MPI_Bcast of all blocks from rank 0\n";
  return text;
}

std::string show_json(const Shown& shown) {
  std::string json =
      fmt::format("{{\"algorithm\": \"{}\", \"ranks\": {}, ", shown.algorithm, shown.ranks);
  if (shown.rank) json += fmt::format("\"rank\": {}, ", *shown.rank);
  if (shown.schedules[0].segmentation.bytes > 0) {
    std::vector<int> counts;
    for (int block = 0; block < shown.ranks; ++block) counts.push_back(shown.segments.count(block));
    json += fmt::format("\"segments\": {}, ", counts);
  }
  if (shown.schedules[0].broadcast_at_end) json += "\"broadcast_at_end\": true, ";
  if (shown.in_background) {
    json += fmt::format("\"background_steps\": {}, ", background_steps(shown));
  }
  json += "\"schedules\": [";
  std::string_view rank_separator = "\n";
  for (const algorithms::Schedule& schedule : shown.schedules) {
    json += rank_separator;
    rank_separator = ",\n";
    json += "[";
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
      const algorithms::Step step = schedule.step(s);
      fmt::format_to(std::back_inserter(json), "{}{{{}\"sends\": {}, \"receives\": {}}}",
                     s == 0 ? "" : ", ", step.barrier ? "\"barrier\": true, " : "",
                     transfers_json(step.sends), transfers_json(step.receives));
    }
    json += "]";
  }
  return json + "]}\n";
}

}  // namespace gatherbench::inspect
