// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "tools/allgather_schedule/common/json_rows.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::allgather_schedule {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the transfers as JSON. `rounds` has the round of each; empty if they are not known.
Json transfers_json(const algorithms::TransferList::Transfers& transfers,
                    std::span<const std::size_t> rounds) {
  Json list = Json::array();
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    Json transfer{{"peer", transfers[i].peer}};
    if (!rounds.empty()) transfer["round"] = rounds[i];
    if (transfers[i].incoming != algorithms::Incoming::store) transfer["combined"] = true;
    Json& blocks = transfer["blocks"] = Json::array();
    for (const algorithms::BlockRange& range : transfers[i].blocks) {
      blocks.push_back({range.first, range.count});
    }
    list.push_back(std::move(transfer));
  }
  return list;
}

/// Returns the step as JSON. `rounds` is null if they are not known.
Json step_json(const algorithms::Step& step, const proof::StepRounds* rounds) {
  const proof::StepRounds unknown;
  const proof::StepRounds& known = rounds != nullptr ? *rounds : unknown;
  Json json = Json::object();
  if (rounds != nullptr) json["round"] = rounds->begin;
  if (step.barrier) json["barrier"] = true;
  if (step.leaves && !step.barrier) json["leaves"] = true;
  json["sends"] = transfers_json(step.sends, known.sends);
  json["receives"] = transfers_json(step.receives, known.receives);
  return json;
}

/// Returns the first block of each schedule in the scratch area; empty if all work at final places.
std::vector<int> scratch_first_blocks(const Shown& shown) {
  std::vector<int> first;
  for (const algorithms::Schedule& schedule : shown.schedules) {
    first.push_back(schedule.scratch_first_block);
  }
  if (std::ranges::count(first, 0) == std::ssize(first)) first.clear();
  return first;
}

/// Returns which rank has each block before; empty where block b is rank b's, or blocks are
/// combined.
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

std::vector<int> segments_of_blocks(const Shown& shown) {
  std::vector<int> counts;
  const auto blocks = static_cast<int>(shown.segments.first.size()) - 1;
  for (int block = 0; block < blocks; ++block) counts.push_back(shown.segments.count(block));
  return counts;
}

/// Adds what is told of all ranks' schedules, or of the one.
void add_head(const Shown& shown, Json& json) {
  if (shown.rank) json["rank"] = *shown.rank;
  if (const std::vector<int> owners = owners_of_blocks(shown); !owners.empty()) {
    json["owners"] = owners;
  }
  const algorithms::Schedule& first = shown.schedules[0];
  if (first.contributions > 0) {
    json["combines_at_end"] = true;
  } else {
    if (shown.collective.combines) json["combines"] = true;
    if (shown.collective.keeps_contributions) json["keeps_contributions"] = true;
  }
  if (first.segmentation != algorithms::Segmentation{}) {
    json["segments"] = segments_of_blocks(shown);
  }
  if (first.broadcast_at_end) {
    json["broadcast_at_end"] = true;
    json["broadcast_root"] = first.broadcast_root;
  }
  if (shown.in_background) json["background_steps"] = background_steps(shown);
  if (const std::vector<int> blocks = scratch_first_blocks(shown); !blocks.empty()) {
    json["scratch_first_block"] = blocks;
  }
}

}  // namespace

std::string show_json(const Shown& shown) {
  Json json{{"algorithm", shown.algorithm},
            {"collective", shown.collective.name},
            {"ranks", shown.ranks}};
  add_head(shown, json);
  const bool is_faulty = shown.rounds && !shown.rounds->fault.empty();
  if (is_faulty) {
    json["fault"] = shown.rounds->fault;
  } else if (shown.rounds) {
    json["rounds"] = shown.rounds->count;
  }
  std::string rows;
  for (std::size_t r = 0; r < shown.schedules.size(); ++r) {
    rows += r == 0 ? "[" : "],\n[";
    for (std::size_t s = 0; s < shown.schedules[r].steps(); ++s) {
      if (s > 0) rows += ',';
      rows += step_json(shown.schedules[r].step(s),
                        shown.rounds && !is_faulty ? &shown.rounds->ranks[r][s] : nullptr)
                  .dump();
    }
  }
  return json_with_rows(json, "schedules", rows + "]");
}

}  // namespace gatherbench::allgather_schedule
