// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/proof/rounds.h"
#include "algorithms/schedule.h"
#include "algorithms/segments.h"

namespace gatherbench::allgather_schedule {

/// Some ranks' schedules of an algorithm: all of them in rank order, or one.
struct Shown {
  std::string algorithm;
  const collectives::Collective& collective;
  int ranks;
  std::optional<int> rank;  ///< whose schedule it is, if it is one rank's
  std::vector<algorithms::Schedule> schedules;
  algorithms::Segments segments;             ///< what the blocks are cut into
  int root = 0;                              ///< of a collective that has one
  bool in_background = false;                ///< a helper thread runs the background steps
  std::optional<proof::Rounds> rounds = {};  ///< if all ranks' schedules are shown
};

/// Returns how many of its first steps each rank runs before its own block is there.
std::vector<std::size_t> background_steps(const Shown& shown);

/// Returns a text of which rank sends which blocks to which, step by step, as the papers' figures
/// draw it; for one rank, what it sends and receives.
std::string show_text(const Shown& shown);
using Print = std::function<void(std::string_view)>;
/// Prints that text in small parts: of a million ranks the whole takes more memory than the
/// schedule.
void print_text(const Shown& shown, const Print& print);

/// Returns the schedules as JSON: {"algorithm", "collective", "ranks", "schedules": [per rank [per
/// step {"sends": [{"peer", "blocks": [[first, count], ...]}], "receives": [...]}]]}. For one rank,
/// "rank" names it and the list has one entry. Some parts are there only where they say something:
/// - "barrier": true, of a step that waits for all ranks first; "leaves": true, of one that the
///   next one does not wait for; "combined": true, of a receive that is combined with what the rank
///   has.
/// - "segments" says how many each block is cut into; blocks are numbered over them.
/// - "broadcast_at_end": true says that the library's broadcast follows, from rank
///   "broadcast_root".
/// - "background_steps" says, of each rank, how many of its first steps run before its own block is
///   there, where a helper thread does that.
/// - "owners" says, of each block, the rank that has it before, unless block b is rank b's.
/// - "combines": true says that all ranks begin with contributions to all blocks instead, and
///   "keeps_contributions": true that a rank then keeps what it sends.
/// - "combines_at_end": true says that blocks are the contributions of ranks, which each rank
///   combines after its last step.
/// - "scratch_first_block" says, of each rank, the first block in its scratch buffer.
///
/// For all ranks, the text also says when they meet (see proof::Rounds): "rounds" is how many
/// rounds there are, "round" of a step the one in which it begins, "round" of a send or receive the
/// one in which the message passes. Schedules that are not the collective have "fault" instead,
/// which says why.
std::string show_json(const Shown& shown);

}  // namespace gatherbench::allgather_schedule
