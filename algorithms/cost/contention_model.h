// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/cost/host_memory.h"

// The model of links that messages share, as the programs read it.
namespace gatherbench::cost {

/// A step takes alpha, for each further message of the rank that has most a share of that, and the
/// bytes over its most loaded link at the bandwidth. Seconds; bytes a second.
struct ContentionModel {
  double alpha;
  double bandwidth;
  /// Part of alpha that each further message of a step costs: 1 if a rank's start-ups do not
  /// overlap, 0 if all of a step do.
  double further = 1;
  /// The memory of a host; none: the default of HostSpeeds.
  std::optional<HostMemory> memory = {};
};

/// "alpha=SECONDS,bandwidth=BYTES_A_SECOND,further=SHARE", for people.
std::string contention_forms();

/// Reads what contention_forms() says, which follows "contention:", and what split_host_memory
/// reads; `further` and that may be missing, bandwidths are more than 0.
/// Throws InputError that names `option`.
ContentionModel parse_contention(std::string_view option, std::string_view text);

}  // namespace gatherbench::cost
