// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/schedule.h"

// Schedules that somebody made, in files: the algorithm "file:PATH".
namespace gatherbench::proof {

/// The most ranks of a file: more have too many transfers to be held together on each rank.
inline constexpr int max_ranks_of_file = 2048;
/// The most segments of all blocks: the proof has a byte for each segment and rank.
inline constexpr int max_segments_of_file = 1 << 16;

/// Returns the schedules of all ranks from the text that `allgather_schedule show --format json`
/// prints for all ranks. "rounds" and "round", which say when the ranks meet, may be left out;
/// where they stand, they are held against the schedules. "algorithm", "fault" and
/// "background_steps" are remarks, of which only the kind is checked. Blocks that are cut
/// ("segments") have near-equal segments. Throws InputError, "FILE: reason", if the text is no
/// JSON; if a key is not one that is printed, stands twice or is missing; if a value is of another
/// kind; if a step or message is not in the round that is named; if blocks are cut into different
/// numbers of segments; if a peer stands twice in a direction of a step. It does not check whether
/// peers and blocks exist: the proof does.
std::vector<algorithms::Schedule> parse_schedule_file(std::string_view file_name,
                                                      std::string_view text);

/// Gives the choices that are "file:PATH" the schedules in their files; `read_file` gives a file's
/// text. Throws InputError that names `option` as parse_schedule_file does.
void read_schedules(std::string_view option, std::vector<algorithms::Choice>& choices,
                    const std::function<std::string(const std::string& path)>& read_file);

/// Throws InputError that names `option`, and rank, step and block, if the schedules that were read
/// are not the collective.
void require_proven(std::string_view option, const algorithms::Choice& choice);

}  // namespace gatherbench::proof
