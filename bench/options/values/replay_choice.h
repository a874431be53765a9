// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/collectives/collective.h"
#include "formats/text/named.h"

namespace gatherbench::bench {

/// The behaviour of ranks between two calls that are replayed.
enum class Gaps {
  recorded,  ///< they pass as much time as the program's ranks did
  none,      ///< nothing: the calls follow each other
};

inline constexpr std::array gaps_names{text::Named<Gaps>{"recorded", Gaps::recorded},
                                       text::Named<Gaps>{"none", Gaps::none}};

/// `--replay`: the calls of a traced program, instead of cases of sizes and distributions.
struct ReplayChoice {
  std::string folder;  ///< of the trace; empty: nothing is replayed
  Gaps gaps = Gaps::recorded;
  std::optional<std::int64_t> calls = {};  ///< only the first ones; none: all

  [[nodiscard]] bool is_asked() const { return !folder.empty(); }
};

/// The text in the column `distribution`, in place of the name of a distribution.
inline constexpr const char* replayed = "replay";

/// Timed and untimed iterations that nobody asked for: each is a whole sequence of calls.
inline constexpr std::int64_t replay_iterations = 30;
inline constexpr std::int64_t replay_warmup = 2;

/// Returns whether a trace says all that a call needs: its communicator and all sizes.
inline bool can_be_replayed(const collectives::Collective& collective) {
  return collective.gathers();
}

}  // namespace gatherbench::bench
