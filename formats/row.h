// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The contents of a line of a result file, before it is text. Times are in microseconds.
namespace gatherbench::formats {

/// The result of an algorithm in a case, or of one of its iterations.
enum class Status { ok, late, skipped, wrong };

struct StatusWord {
  Status status;
  std::string_view name;  ///< in the column `status`
  std::string_view text;
  bool timed;  ///< the row has times; only those of `ok` count
};

/// Returns the words of all statuses, in the order of the enumeration.
std::span<const StatusWord> statuses();

std::string_view name_of(Status status);

/// The values of the columns `group` and `beside` where a launch has one group, with nothing beside
/// it.
inline constexpr std::string_view all_ranks = "all";
inline constexpr std::string_view nothing_beside = "nothing";
/// The column `buffer_offset` says this where both buffers begin a page.
inline constexpr std::string_view at_pages = "0,0";
inline constexpr std::string_view beside_groups = "groups";  ///< the calls of the other groups

inline constexpr std::string_view beside_computation = "computation";  ///< --overlap

/// The facts about the case that a row belongs to.
struct CaseKey {
  std::string collective;
  std::string distribution;
  std::string arrival;
  std::string mapping;  ///< as asked for
  int ranks;
  int nodes;           ///< as found; tells no cases apart
  std::int64_t bytes;  ///< base size c
  std::int64_t total_bytes;
  std::string group = std::string(all_ranks);         ///< whose times they are
  std::string beside = std::string(nothing_beside);   ///< what went on at the same time
  std::string buffer_offset = std::string(at_pages);  ///< where buffers begin behind a page
  /// Tells the cases of one launch apart.
  [[nodiscard]] std::string text() const;
};

struct Iteration;  // in formats/iteration.h

/// One rank's part in an iteration.
struct RankTimes {
  double elapsed_us = 0;
  std::optional<double> asked_us = {};     ///< delay that the arrival pattern asked for
  std::optional<double> achieved_us = {};  ///< delay that it had
  /// Time from the synchronisation to the arrival: the rank's computation, with its delay; if there
  /// was any.
  std::optional<double> computed_us = {};
};

/// The part of a schedule that a rank runs between two readings of the clock.
struct PlanPart {
  std::string_view name;  ///< part_before, part_step or part_after
  std::int64_t step = 0;  ///< -1 before the first, their number after the last
  std::string to = {};    ///< ranks that it sends to, as `0-2;5`
  std::string from = {};
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
  std::int64_t barrier = 0;  ///< 1: all ranks wait for each other first
};

inline constexpr std::string_view part_before = "before";
inline constexpr std::string_view part_step = "step";
inline constexpr std::string_view part_after = "after";

/// The times at which a rank ran such a part.
struct PartTimes {
  double arrived_us = 0;  ///< the rank's arrival, after the first rank's, by the common clock
  double start_us = 0;    ///< since its arrival
  double end_us = 0;
};

/// The change of a host's counter from just before the first timed call of a case to just after the
/// last.
struct CounterChange {
  std::string host = {};
  std::string counter = {};
  std::string unit = {};
  std::optional<std::int64_t> difference = {};
  double between_us = 0;    ///< the two readings
  std::int64_t calls = 0;   ///< timed ones in between, of all algorithms
  std::string reason = {};  ///< why there is no difference
};

/// The value of the column `algorithm` where the calls of several algorithms took turns.
inline constexpr std::string_view together = "together";

/// One line of a result file, or of one of the files beside it.
struct Row {
  const CaseKey* key;
  std::string_view algorithm;
  Status status = Status::ok;
  std::string_view reason = {};
  std::optional<std::int64_t> iteration = {};
  const Iteration* times = nullptr;       ///< null: was not timed
  std::optional<double> message_us = {};  ///< time of one block's message, if it was needed
  std::optional<double> prepare_us = {};
  std::string_view chosen = {};  ///< what ran, if that is chosen call by call; else empty
  std::optional<std::int64_t> rank = {};
  const RankTimes* rank_times = nullptr;
  const PlanPart* part = nullptr;
  const PartTimes* part_times = nullptr;
  const CounterChange* change = nullptr;
};

}  // namespace gatherbench::formats
