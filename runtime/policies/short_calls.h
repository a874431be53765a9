// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

// Whether anything is tried for calls that the MPI library's own algorithm does in a short time.
namespace gatherbench::policies {

/// Shorter calls are not worth trying messages of ours for.
constexpr std::int64_t least_for_messages_ns = 20'000;
/// The same of copies within a node, which gain most where a call takes some microseconds.
constexpr std::int64_t least_for_copies_ns = 1'000;
/// Taken for what a communicator, a window and the first plans cost.
constexpr std::int64_t set_up_ns = 1'000'000;

enum class Worth {
  nothing,  ///< nothing is tried
  later,    ///< once such calls have paid `set_up_ns`, since only copies can gain
  now,
};

/// Of a call that takes the library `native_ns`. `least_ns`: shorter ones are not worth it, as the
/// user says; none: it is left to us. `may_copy`: something to try copies within a node.
constexpr Worth worth_of_trying(std::int64_t native_ns, std::optional<std::int64_t> least_ns,
                                bool may_copy) {
  if (native_ns >= least_ns.value_or(least_for_messages_ns)) return Worth::now;
  const bool can_gain = !least_ns && may_copy && native_ns >= least_for_copies_ns;
  return can_gain ? Worth::later : Worth::nothing;
}

}  // namespace gatherbench::policies
