// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/schedule_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/proof/proof.h"
#include "algorithms/proof/rounds.h"
#include "formats/text/input_error.h"
#include "formats/text/words.h"

namespace gatherbench::proof {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t largest = 1 << 30;  // of a number of a block: sums of two are ints

[[noreturn]] void refuse(std::string_view where, std::string_view reason) {
  throw text::InputError(fmt::format("{}: {}", where, reason));
}

/// Returns the text as JSON. Throws InputError if it is none, or if an object has a key twice,
/// which the library would let pass.
Json parse(std::string_view file_name, std::string_view text) {
  std::vector<std::set<std::string>> open;
  const auto look = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto key = value.get<std::string>();
      if (!open.back().insert(key).second) {
        refuse(file_name,
               fmt::format("the key '{}' stands twice in one object", text::in_one_line(key)));
      }
    }
    return true;
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::parse_error& error) {
    refuse(file_name, fmt::format("is no JSON at byte {}; legal: what allgather_schedule show "
                                  "--format json prints",
                                  error.byte));
  } catch (const Json::exception&) {  // such as a number beyond all kinds
    refuse(file_name, "is no JSON that can be read");
  }
}

/// Returns `value`. Throws InputError if it is no object, or has a key that is not one of these.
const Json& require_object(std::string_view where, Json&& value,
                           std::initializer_list<std::string_view> keys) = delete;
const Json& require_object(std::string_view where, const Json& value,
                           std::initializer_list<std::string_view> keys) {
  if (!value.is_object()) refuse(where, "is no object {...}");
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    const std::vector<std::string_view> legal(keys);
    throw text::unknown_name(where, "key", text::in_one_line(key), legal);
  }
  return value;
}

const Json& require(std::string_view where, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(where, fmt::format("has no \"{}\"", key));
  return *found;
}

const Json& require_list(std::string_view where, Json&& value, std::string_view name) = delete;
const Json& require_list(std::string_view where, const Json& value, std::string_view name) {
  if (!value.is_array()) refuse(where, fmt::format("\"{}\" is no list [...]", name));
  return value;
}

int require_whole(std::string_view where, const Json& value, std::string_view name,
                  std::int64_t least, std::int64_t most) {
  const bool is_whole = value.is_number_integer();
  // A number beyond 64 bits is no integer to the library, and one beyond 63 is negative here.
  const std::int64_t number = is_whole ? value.get<std::int64_t>() : 0;
  if (is_whole && number >= least && number <= most) return static_cast<int>(number);
  refuse(where, fmt::format("\"{}\" is no whole number from {} to {}", name, least, most));
}

bool read_flag(std::string_view where, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) refuse(where, fmt::format("\"{}\" is neither true nor false", key));
  return found->get<bool>();
}

/// A round that a file names: of a step or, with a peer, of one of its messages.
struct ClaimedRound {
  std::string where;  ///< file, rank and step
  std::size_t rank;
  std::size_t step;
  std::optional<int> peer;
  bool is_send;       ///< if there is a peer
  std::size_t index;  ///< of the message among those of its direction
  int round;
};

/// Adds the round of a step or message to `claims`, if the file names one.
void read_round(const Json& object, ClaimedRound claim, std::vector<ClaimedRound>& claims) {
  const auto found = object.find("round");
  if (found == object.end()) return;
  claim.round = require_whole(claim.where, *found, "round", 0, largest);
  claims.push_back(std::move(claim));
}

/// Throws InputError if a step or a message is not in the round that the file names. Schedules that
/// are not the collective have no rounds: the proof says what is wrong with them.
void require_rounds(std::string_view file_name, std::span<const algorithms::Schedule> schedules,
                    std::span<const ClaimedRound> claims, std::optional<int> claimed_count) {
  if (claims.empty() && !claimed_count) return;
  const Rounds rounds = find_rounds(schedules, {.moves_twice = true});  // as the row "file" may
  if (!rounds.fault.empty()) return;
  for (const ClaimedRound& claim : claims) {
    const StepRounds& step = rounds.ranks[claim.rank][claim.step];
    std::size_t round = step.begin;
    std::string what = "the step begins";
    if (claim.peer) {
      round = (claim.is_send ? step.sends : step.receives)[claim.index];
      what = fmt::format("the message {} {} passes", claim.is_send ? "to" : "from", *claim.peer);
    }
    if (round != static_cast<std::size_t>(claim.round)) {
      refuse(claim.where, fmt::format("\"round\" is {}; legal: {}, in which {}, or no \"round\"",
                                      claim.round, round, what));
    }
  }
  if (claimed_count && static_cast<std::size_t>(*claimed_count) != rounds.count) {
    refuse(file_name, fmt::format("\"rounds\" is {}; legal: {}, or no \"rounds\"", *claimed_count,
                                  rounds.count));
  }
}

/// Calls add(peer, range) for each range of the transfers, and add_token(peer) for those without.
/// `step_claim` is where they stand; the rounds that they name are added to `claims`.
template <typename Add, typename AddToken>
void read_transfers(const ClaimedRound& step_claim, const Json& step, const char* direction,
                    std::vector<ClaimedRound>& claims, Add add, AddToken add_token) {
  const std::string& where = step_claim.where;
  std::set<int> peers;
  for (const Json& each : require_list(where, require(where, step, direction), direction)) {
    const Json& transfer = require_object(where, each, {"peer", "blocks", "round"});
    const int peer = require_whole(where, require(where, transfer, "peer"), "peer", 0, largest);
    if (!peers.insert(peer).second) {
      refuse(where, fmt::format("peer {} stands twice in \"{}\"", peer, direction));
    }
    ClaimedRound claim = step_claim;
    claim.peer = peer;
    claim.is_send = direction == std::string_view("sends");
    claim.index = peers.size() - 1;
    read_round(transfer, std::move(claim), claims);
    const Json& ranges = require_list(where, require(where, transfer, "blocks"), "blocks");
    if (ranges.empty()) add_token(peer);
    for (const Json& range : ranges) {
      if (!range.is_array() || range.size() != 2) {
        refuse(where, "\"blocks\" are no pairs [first, count]");
      }
      add(peer, algorithms::BlockRange{require_whole(where, range[0], "blocks", 0, largest),
                                       require_whole(where, range[1], "blocks", 1, largest)});
    }
  }
}

algorithms::Schedule read_schedule(std::string_view file_name, std::size_t rank, const Json& steps,
                                   std::vector<ClaimedRound>& claims) {
  algorithms::Schedule schedule;
  std::size_t number = 0;
  for (const Json& each : require_list(file_name, steps, "schedules")) {
    const std::string where = fmt::format("{}: rank {}, step {}", file_name, rank, number);
    const Json& step = require_object(where, each, {"sends", "receives", "barrier", "round"});
    const ClaimedRound claim{where, rank, number++, std::nullopt, false, 0, 0};
    read_round(step, claim, claims);
    schedule.begin_step(read_flag(where, step, "barrier"));
    read_transfers(
        claim, step, "sends", claims,
        [&](int peer, algorithms::BlockRange blocks) { schedule.send(peer, blocks); },
        [&](int peer) { schedule.send_token(peer); });
    read_transfers(
        claim, step, "receives", claims,
        [&](int peer, algorithms::BlockRange blocks) { schedule.receive(peer, blocks); },
        [&](int peer) { schedule.receive_token(peer); });
  }
  return schedule;
}

/// Reads a number of each rank; returns none if there is no such key.
std::vector<int> read_of_each_rank(std::string_view file_name, const Json& content, const char* key,
                                   std::size_t ranks, std::int64_t least, std::int64_t most) {
  std::vector<int> numbers;
  const auto found = content.find(key);
  if (found == content.end()) return numbers;
  for (const Json& each : require_list(file_name, *found, key)) {
    numbers.push_back(require_whole(file_name, each, key, least, most));
  }
  if (numbers.size() == ranks) return numbers;
  refuse(file_name, fmt::format("\"{}\" has {} numbers for {} ranks", key, numbers.size(), ranks));
}

algorithms::Segmentation read_segmentation(std::string_view file_name, const Json& content,
                                           std::size_t ranks) {
  const std::int64_t most = max_segments_of_file / static_cast<std::int64_t>(ranks);
  const std::vector<int> segments =
      read_of_each_rank(file_name, content, "segments", ranks, 1, most);
  if (std::ranges::adjacent_find(segments, std::ranges::not_equal_to()) != segments.end()) {
    refuse(file_name,
           "cuts blocks into different numbers of \"segments\"; legal: each into as many");
  }
  algorithms::Segmentation segmentation;
  if (!segments.empty() && segments[0] > 1) segmentation.near_equal = segments[0];
  return segmentation;
}

bool is_file(const algorithms::Choice& choice) {
  return choice.algorithm->is<algorithms::FromFile>();
}

}  // namespace

std::vector<algorithms::Schedule> parse_schedule_file(std::string_view file_name,
                                                      std::string_view text) {
  const Json content = parse(file_name, text);
  require_object(
      file_name, content,
      {"algorithm", "collective", "ranks", "rank", "schedules", "segments", "broadcast_at_end",
       "broadcast_root", "background_steps", "scratch_first_block", "rounds", "fault"});
  if (content.contains("rank")) {
    refuse(file_name, "has the schedule of one rank; legal: of all, from show without --rank");
  }
  const auto collective = content.find("collective");
  if (collective != content.end() && *collective != collectives::allgather.name) {
    refuse(file_name,
           "is of another \"collective\"; legal: allgather, which it is without this key");
  }
  const int ranks =
      require_whole(file_name, require(file_name, content, "ranks"), "ranks", 1, max_ranks_of_file);
  const auto count = static_cast<std::size_t>(ranks);
  const algorithms::Segmentation segmentation = read_segmentation(file_name, content, count);
  const std::vector<int> scratch =
      read_of_each_rank(file_name, content, "scratch_first_block", count, 0, ranks - 1);
  const bool broadcast = read_flag(file_name, content, "broadcast_at_end");
  const auto given_root = content.find("broadcast_root");
  if (given_root != content.end() && !broadcast) {
    refuse(file_name,
           "has a \"broadcast_root\" of no broadcast; legal: with \"broadcast_at_end\": "
           "true, or without the key");
  }
  const int root = given_root == content.end()
                       ? 0
                       : require_whole(file_name, *given_root, "broadcast_root", 0, ranks - 1);
  const Json& of_ranks =
      require_list(file_name, require(file_name, content, "schedules"), "schedules");
  if (of_ranks.size() != count) {
    refuse(file_name, fmt::format("\"schedules\" has {} for {} ranks", of_ranks.size(), ranks));
  }
  read_of_each_rank(file_name, content, "background_steps", count, 0, largest);
  for (const char* key : {"algorithm", "fault"}) {
    const auto found = content.find(key);
    if (found != content.end() && !found->is_string()) {
      refuse(file_name, fmt::format("\"{}\" is no text", key));
    }
  }
  std::optional<int> rounds;
  if (content.contains("rounds")) {
    rounds = require_whole(file_name, content["rounds"], "rounds", 0, largest);
  }
  std::vector<ClaimedRound> claims;
  std::vector<algorithms::Schedule> schedules;
  for (std::size_t rank = 0; rank < count; ++rank) {
    schedules.push_back(read_schedule(file_name, rank, of_ranks[rank], claims));
    schedules.back().broadcast_at_end = broadcast;
    schedules.back().broadcast_root = root;
    schedules.back().segmentation = segmentation;
    if (!scratch.empty()) schedules.back().scratch_first_block = scratch[rank];
  }
  require_rounds(file_name, schedules, claims, rounds);
  return schedules;
}

void read_schedules(std::string_view option, std::vector<algorithms::Choice>& choices,
                    const std::function<std::string(const std::string& path)>& read_file) {
  for (algorithms::Choice& choice : choices) {
    if (!is_file(choice)) continue;
    const std::string where = fmt::format("{} {}:{}", option, choice.algorithm->name, choice.path);
    choice.schedules = std::make_shared<const std::vector<algorithms::Schedule>>(
        parse_schedule_file(where, read_file(choice.path)));
  }
}

void require_proven(std::string_view option, const algorithms::Choice& choice) {
  if (choice.schedules == nullptr) return;
  const std::string fault = prove(*choice.schedules, assumptions_of(*choice.algorithm, {})).fault;
  if (fault.empty()) return;
  refuse(fmt::format("{} {}:{}", option, choice.algorithm->name, choice.path),
         fmt::format("is no {}: {}", choice.algorithm->kind->name, fault));
}

}  // namespace gatherbench::proof
