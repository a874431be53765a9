// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// The one table of all-gather algorithms. Names in options, errors, results, tests and legends come
// from here.
namespace gatherbench::algorithms {

/// Makes the schedule of problem.rank.
using Generator = Schedule(const Problem&);

/// An order of the ranks that an algorithm works in; the same whatever problem.rank is.
using RankOrder = std::vector<int>(const Problem&);

/// What an algorithm demands of the problem.
struct Needs {
  std::string_view text;                   ///< for tables: "even p"
  std::string (*why_not)(const Problem&);  ///< empty: it can run; else why not, for people
};

/// A count as a function of the problem, whose rank does not matter and whose blocks are equal, and
/// how the papers write it: p ranks, c bytes a block.
struct Formula {
  std::string_view text;
  /// None where there is no closed form, such as for messages if nodes are interleaved.
  std::optional<std::int64_t> (*at)(const Problem&);
};

/// What the number after `name:key=` means.
enum class ParameterKind {
  count,
  bytes,
  time,  ///< of one block's message: problem.message_us; in nanoseconds, 0: to be measured
  inner_algorithm
};

/// The one parameter an algorithm may have.
struct Parameter {
  std::string_view name;
  std::string_view summary;    ///< for --list, with its range
  std::string_view otherwise;  ///< the value if the user gives none
  ParameterKind kind = ParameterKind::count;
  std::int64_t smallest = 1;
  std::string_view largest_text = {};  ///< "p-2"
  std::int64_t (*largest)(std::int64_t ranks) = nullptr;
};

/// Moved by calls into the MPI library instead of by a schedule.
enum class LibraryCall { none, allgather, gather_bcast };

/// Ranks whose schedules are rank 0's with the peers renumbered and the same amounts. It saves the
/// cost models p-1 schedules.
enum class Symmetry {
  none,
  shift,         ///< peer q of rank 0 is peer (q + r) mod p of rank r
  exclusive_or,  ///< peer q of rank 0 is peer q XOR r of rank r
};

struct Algorithm {
  std::string_view name;                 ///< what --algorithms takes and the result file holds
  std::string_view summary;              ///< one line for --list
  std::string_view source;               ///< author, year, section
  const Needs* needs = nullptr;          ///< null: nothing
  const Parameter* parameter = nullptr;  ///< null: it has none
  bool in_thesis = false;                ///< one of the five that Loch 2021 measured
  bool uses_scratch = false;             ///< a buffer as large as the result, on all ranks but 0
  bool uses_nodes = false;               ///< the schedule depends on which ranks share a node
  /// The schedule depends on when ranks arrive. A launch predicts that, and a helper thread runs
  /// the schedule's background steps.
  bool uses_arrivals = false;
  bool moves_twice = false;      ///< some ranks receive blocks that they have, by nature
  bool contention_free = false;  ///< no link of problem.switches carries two messages in a step
  bool can_be_inner = false;     ///< may run among node leaders: no scratch, no barrier
  Symmetry symmetry = Symmetry::none;
  const Formula* steps = nullptr;  ///< of the rank that has most; null for a library call
  const Formula* messages =
      nullptr;                     ///< of all ranks, one for each run of blocks that lie together
  const Formula* bytes = nullptr;  ///< that all ranks send
  const Formula* barriers = nullptr;  ///< null: none
  Generator* schedule = nullptr;      ///< null for a library call
  RankOrder* order = nullptr;         ///< if not null, `schedule` wants it made as problem.order
  LibraryCall library_call = LibraryCall::none;
};

/// All of them, in the order in which they are listed, run and drawn.
std::span<const Algorithm> all_algorithms();

/// Their names, in the same order.
std::vector<std::string_view> algorithm_names();

/// Null if there is none of that name.
const Algorithm* find_algorithm(std::string_view name);

/// The schedule of problem.rank; makes problem.order first if the row has one and it is empty.
Schedule make_schedule(const Algorithm& algorithm, const Problem& problem);

/// The schedules of all ranks, in rank order.
std::vector<Schedule> make_schedules(const Algorithm& algorithm, Problem problem);

/// Empty if the algorithm can run with this problem, else why not, for people.
std::string why_not(const Algorithm& algorithm, const Problem& problem);

/// For tables: "any p", "even p", "power-of-two p".
std::string_view needs_text(const Algorithm& algorithm);

}  // namespace gatherbench::algorithms
