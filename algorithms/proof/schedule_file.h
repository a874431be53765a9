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

/// Most ranks of a file: more of them have too many transfers to be held together on each rank.
inline constexpr int max_ranks_of_file = 2048;
/// Most segments of all blocks: the proof has a byte for each segment and rank.
inline constexpr int max_segments_of_file = 1 << 16;

/// The schedules of all ranks, from the text that `allgather_schedule show --format json` prints
/// for all ranks. "rounds" and "round", which say when the ranks meet, may be left out; where they
/// stand, they are held against the schedules. "algorithm", "fault" and "background_steps" are
/// remarks, of which only the kind is checked. Throws InputError, "FILE: reason": no JSON; a key
/// that is not one of these, stands twice or is missing; a value of another kind; a round in which
/// a step or message is not; blocks that are cut into different numbers of segments; a peer twice
/// in a direction of a step. Whether peers and blocks exist, the proof tells. Blocks that are cut
/// ("segments") have near-equal segments.
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
