// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/schedule.h"
#include "algorithms/shared/formulas.h"

// The parts that the reductions share.
namespace gatherbench::algorithms {

inline constexpr BlockRange whole_vector{0, 1};

/// Adds what the rank at `place` does after a reduce-scatter: segment i is whole at members[i], and
/// all segments come to members[0] in a binomial tree, in ceil(log2 members) steps there.
void add_segment_gather(Schedule& schedule, std::span<const int> members, int place);

/// Returns all ranks in order.
std::vector<int> all_ranks(const Problem& problem);

/// Returns the bytes that all ranks together send in add_segment_gather()'s steps, if the vector is
/// cut into so many near-equal segments.
std::int64_t segment_gather_bytes(const Problem& problem, int segments);

inline constexpr Parameter segments_parameter{
    .name = "segments",
    .summary = "of the vector, 1 to 65536",
    .default_value =
        Count{16},  // the best of Marendic et al. 2016 (table 8) at three of five sizes
    .max_text = "65536",
    .max = [](std::int64_t) -> std::int64_t { return 1 << 16; }};

/// The parameters of the reduction that predicts arrivals, and of algorithms made of it.
inline constexpr Parameters clairvoyant_parameters{
    segments_parameter,
    {.name = "tau",
     .summary = "time of the vector's message with its combination, 13ms, or measured",
     .default_value = MessageTime{}},
    {.name = "alpha",
     .summary = "time of a message without bytes, 20us, or measured",
     .default_value = StartTime{}}};

/// Returns the near-equal segments into which a vector is cut.
inline Segmentation segments_of(const Problem& problem) {
  return {.near_equal = static_cast<int>(problem.count())};
}

/// The bytes that all ranks send where each but the root sends its vector once.
inline constexpr Formula vector_of_all{"(p-1)m", [](const Problem& problem) -> Amount {
                                         return (problem.ranks - 1) * problem.bytes(0);
                                       }};

}  // namespace gatherbench::algorithms
