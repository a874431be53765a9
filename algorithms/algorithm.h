// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/parameter.h"
#include "algorithms/problem.h"
#include "algorithms/schedule.h"

// The description of an algorithm. Each describes itself at the end of its file;
// its name in options, errors, results, tests and legends comes from there.
namespace gatherbench::algorithms {

/// Makes the schedule of problem.rank.
using Generator = Schedule(const Problem&);

/// Makes the schedules of all ranks, in rank order; problem.rank does not matter.
using AllGenerator = std::vector<Schedule>(const Problem&);

/// The demands of an algorithm on the problem.
struct Needs {
  std::string_view text;                                  ///< for tables: "even p"
  std::optional<std::string> (*why_not)(const Problem&);  ///< none: it can run; else for people
};

/// A number of steps, messages or bytes; none where there is no closed form, such as for messages
/// if nodes are interleaved.
using Amount = std::optional<std::int64_t>;

/// An amount as a function of the problem, whose rank does not matter and whose blocks are equal,
/// and how the papers write it: p ranks, c bytes a block, N nodes, g ranks on the largest.
struct Formula {
  std::string_view text;
  Amount (*at)(const Problem&);
};

/// The growth of the number of steps with p. `other`: not with p alone, or it is not known.
enum class Growth { linear, logarithmic, other };

/// An algorithm of this kind runs a schedule of ours on each rank.
struct Schedules {
  Generator* of_rank = nullptr;    ///< never null in a row
  AllGenerator* of_all = nullptr;  ///< not null where that is cheaper than one by one
  RankOrder* order = nullptr;      ///< if not null, `of_rank` wants it made as problem.order
};

/// The schedules depend on when ranks arrive. A launch predicts that, and a helper thread runs the
/// schedules' background steps.
struct ByArrivals {
  Schedules schedules;
};

/// The schedules are problem.from_file, which the user names.
struct FromFile {
  Schedules schedules;
};

/// An algorithm of this kind moves its blocks by calls into the MPI library.
enum class LibraryCall {
  native,
  nonblocking,  ///< started, and waited for at once
  persistent,   ///< initialised before; each call starts it and waits
  gather_bcast,
};

/// An algorithm of this kind runs one of the others in each call, and chooses which by how long
/// they took.
struct Selects {};

/// The ranks of such an algorithm tell each other who is there, and from that follows who combines
/// with whom.
struct Redirects {};

/// The ways to run an algorithm: each runs in just one of them.
using How = std::variant<Schedules, ByArrivals, FromFile, LibraryCall, Selects, Redirects>;

/// Ranks whose schedules are those of the first ones with the peers renumbered: as many transfers,
/// in the same order, of the same amounts. It saves the cost models the schedules of the others.
enum class Symmetry {
  none,
  shift,        ///< peer q of rank r is peer (q + m) mod p of rank r + m, for a `period` m
  bitwise_xor,  ///< peer q of rank 0 is peer q XOR r of rank r
  ascending,    ///< in one step each rank has all others as peers, both ways, in ascending order
};

/// Formulas are none where there is no schedule; barriers are none where there are no barriers.
struct Algorithm {
  std::string_view name;     ///< what --algorithms takes; unique among those of its collective
  std::string_view title{};  ///< in print, "BDR"; empty: the name's words
  std::string_view summary;  ///< one line for --list
  std::string_view source;   ///< author, year, section
  /// The libraries that take it unasked, and for what: "MPICH (large blocks)"; empty: none known.
  std::string_view default_of{};
  /// The collective that it computes. Null: each, by the library's call of that name.
  const collectives::Collective* kind = &collectives::allgather;
  std::optional<Needs> needs = {};  ///< none: it runs with every problem
  Parameters parameters = {};       ///< each of another kind
  bool uses_scratch = false;        ///< a buffer as large as the result, but on rank 0
  bool uses_nodes = false;          ///< it depends on which ranks share a node
  bool moves_twice = false;         ///< some ranks receive blocks that they have, by nature
  bool cuts_blocks = false;      ///< into segments, so that what moves does not grow with c alone
  bool contention_free = false;  ///< no link of the network carries two messages in a step
  bool can_be_inner = false;     ///< may run inside of another: no scratch, no barrier
  /// May be a phase of another, where all ranks meet barriers and the network is known. An
  /// all-to-all then sends each block straight to its rank.
  bool can_be_phase = false;
  bool combines_at_end = false;  ///< its schedules have Schedule::contributions
  /// It combines in the order of ranks from the root on, so that operators need not commute.
  bool keeps_order = false;
  Symmetry symmetry = Symmetry::none;
  int (*period)(const Problem&) = nullptr;  ///< of the shift, divides p; null: 1
  Growth growth = Growth::other;
  std::optional<Formula> steps = {};     ///< of the rank that has most
  std::optional<Formula> messages = {};  ///< of all ranks: a message a run of adjacent blocks
  std::optional<Formula> bytes = {};     ///< that all ranks send
  std::optional<Formula> barriers = {};
  How how = Schedules{};

  /// Returns what makes its schedules; null if it has none.
  [[nodiscard]] const Schedules* schedules() const;
  template <typename Kind>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<Kind>(how);
  }
  [[nodiscard]] bool calls(LibraryCall call) const;
};

bool computes(const Algorithm& algorithm, const collectives::Collective& collective);

/// Returns whether it is an all-gather of ours.
bool gathers(const Algorithm& algorithm);

/// Returns whether a helper thread runs the beginning of its schedule: it uses arrivals, and what
/// it moves before a rank has come is not that rank's.
bool runs_ahead(const Algorithm& algorithm);

/// Returns whether it is flat, so that it can run in another order of the ranks
/// (algorithms/order.h): it has a schedule, of an all-gather, and knows neither nodes nor switches
/// nor arrivals.
bool takes_order(const Algorithm& algorithm);

/// Makes the schedules of a problem one by one, for its root, and in the order of ranks that the
/// algorithm, or the user for it, asks for: that is made once. The algorithm, and what the problem
/// points to, must outlive it.
class ScheduleMaker {
 public:
  ScheduleMaker(const Algorithm& algorithm, const Problem& problem);
  // seen_ points into the vectors.
  ScheduleMaker(const ScheduleMaker&) = delete;
  ScheduleMaker& operator=(const ScheduleMaker&) = delete;

  [[nodiscard]] Schedule of_rank(int rank) const;
  /// Returns the schedules of all ranks, in rank order.
  [[nodiscard]] std::vector<Schedule> of_all() const;

 private:
  /// Returns the number by which the generator knows a rank.
  [[nodiscard]] int place_of(int rank) const;
  /// Returns what the generator made, with the numbers of problem_.
  [[nodiscard]] Schedule as_asked(Schedule seen) const;

  const Schedules& schedules_;
  Problem problem_;
  /// The problem as the generator sees it: ranks at the positions of the user's order, or from the
  /// root on.
  Problem seen_;
  std::vector<int> order_;
  std::vector<int> position_;              // of each rank, if the user asks for the order
  std::vector<std::int64_t> block_bytes_;  // of each position, then
  std::vector<int> node_;                  // from the root on, unless that is rank 0
  std::vector<int> host_;
  std::vector<double> arrival_us_;
};

/// Returns the schedule of problem.rank, for problem.root, in the order problem.reorder if that is
/// given. It makes problem.order first if the algorithm asks for one and it is empty. ScheduleMaker
/// does the same for several ranks.
Schedule make_schedule(const Algorithm& algorithm, const Problem& problem);

/// Returns the schedules of all ranks, in rank order.
std::vector<Schedule> make_schedules(const Algorithm& algorithm, const Problem& problem);

/// Returns why the algorithm cannot run with this problem, for people; none if it can.
std::optional<std::string> why_not(const Algorithm& algorithm, const Problem& problem);

/// Returns its demands for tables: "any p", "even p", "power-of-two p".
std::string_view needs_text(const Algorithm& algorithm);

/// Returns the default values of its parameters.
ParameterValues default_values(const Algorithm& algorithm);

}  // namespace gatherbench::algorithms
