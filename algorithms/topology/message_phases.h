// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/topology/switch_tree.h"

// The phases in which each rank sends each other rank its message of an all-to-all, so that no two
// messages are on one link of a switch tree in one direction: Faraj 2006, section 3.2.
//
// `host` has the host of every rank. Ranks that share a host share its link, so a host with several
// ranks is taken for a switch with these ranks on it.
namespace gatherbench::topology {

struct RankMessage {
  int from;
  int to;
  auto operator<=>(const RankMessage&) const = default;
};

/// The messages that pass the link that most of them pass, in one direction: there are no fewer
/// phases.
std::int64_t most_messages_on_a_link(const SwitchTree& tree, std::span<const int> host);

/// Returns the messages of each phase, which share no link. Each message of an all-to-all is there
/// once, in exactly most_messages_on_a_link() phases. A rank sends at most one message in a phase,
/// and receives one.
std::vector<std::vector<RankMessage>> message_phases(const SwitchTree& tree,
                                                     std::span<const int> host);

/// A message of a later phase that shares a link with one of an earlier phase.
struct Conflict {
  int phase;
  RankMessage message;
  int later_phase;
  RankMessage later;
  auto operator<=>(const Conflict&) const = default;
};

/// Returns the conflicts that do not follow from others: where these are kept in order, all are.
std::vector<Conflict> needed_orders(const SwitchTree& tree, std::span<const int> host,
                                    std::span<const std::vector<RankMessage>> phases);

}  // namespace gatherbench::topology
