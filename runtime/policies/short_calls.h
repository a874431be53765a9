// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

// The rule that says if anything is tried for calls that the MPI library's own algorithm does in a
// short time.
namespace gatherbench::policies {

/// Shorter calls are not worth trying messages of ours for.
constexpr std::int64_t least_for_messages_ns = 20'000;
/// Shorter calls are not worth trying copies within a node for, which gain most where a call takes
/// some microseconds.
constexpr std::int64_t least_for_copies_ns = 1'000;
/// Assumed cost of a communicator, a window and the first plans.
constexpr std::int64_t set_up_ns = 1'000'000;

/// So many calls of a kind come on a communicator before anything is done for their sake. To find
/// candidates and to agree once takes up to 40 us; so many calls of the smallest blocks, 0.7 ms.
constexpr std::int64_t early_calls = 2048;
/// Calls with a larger result take so long that even 200 of them are worth it.
constexpr std::int64_t most_early_bytes = 4096;

enum class Worth {
  nothing,  ///< nothing is tried
  later,    ///< once such calls have paid `set_up_ns`, since only copies can gain
  now,
};

/// Returns what is worth trying for a call that takes the library `native_ns`. The user says with
/// `least_ns` that shorter ones are not worth it; none: the constants decide. `may_copy`: there are
/// copies within a node to try.
constexpr Worth worth_of_trying(std::int64_t native_ns, std::optional<std::int64_t> least_ns,
                                bool may_copy) {
  if (native_ns >= least_ns.value_or(least_for_messages_ns)) return Worth::now;
  const bool can_gain = !least_ns && may_copy && native_ns >= least_for_copies_ns;
  return can_gain ? Worth::later : Worth::nothing;
}

}  // namespace gatherbench::policies
