// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"

// The broadcast at the end of an all-gather that gathers all blocks to rank 0: problem.inner(), the
// MPI library's or one of ours.
namespace gatherbench::algorithms {

extern const Algorithm bcast_binomial;
extern const Algorithm native;

constexpr Parameter broadcast_parameter(const Algorithm& by_default) {
  return {.name = "bcast",
          .summary = "the broadcast at the end; native is the MPI library's",
          .default_value = &by_default,
          .kind = &collectives::bcast};
}

/// Returns why the broadcast cannot run; none if it can.
std::optional<std::string> why_not_broadcast(const Problem& problem);

inline constexpr Needs broadcast_needs{"what its broadcast needs", why_not_broadcast};

/// Adds the broadcast of all blocks from rank 0, by the algorithm's defaults. One that cuts what it
/// sends into segments sends whole blocks, together as large as a segment, or larger.
void add_broadcast(Schedule& schedule, const Problem& problem);

// These return the messages and the bytes that all ranks send in that broadcast of equal blocks; 0
// if it is the MPI library's.
Amount messages_of_broadcast(const Problem& problem);
Amount bytes_of_broadcast(const Problem& problem);

/// The bytes of all ranks: each block goes to rank 0 once, then the broadcast sends all of them.
inline constexpr Formula gathered_bytes{"(p-1)c, MPI_Bcast", [](const Problem& problem) -> Amount {
                                          return (problem.ranks - 1) * problem.bytes(0) +
                                                 *bytes_of_broadcast(problem);
                                        }};

}  // namespace gatherbench::algorithms
