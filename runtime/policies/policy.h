// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// A policy decides which algorithm the coming calls take, from how long the calls before them took.
// It has no clock and sends nothing: its caller times the calls, lets the ranks agree on the times,
// and gives every rank the same ones. Then every rank's policy decides the same. For that it
// computes in integers only: MPI libraries' sums of floating-point numbers have differed between
// ranks.
namespace gatherbench::policies {

/// An algorithm that a policy can choose. The first one is the MPI library's own: `native`.
struct Candidate {
  std::string name;
  /// Candidates of one group are alike; a policy may try one for all of them.
  std::size_t group = 0;
  /// Its place among those that STAR-MPI tries for such calls; none: it is not among them.
  std::optional<std::size_t> star_place = {};
  /// Expected time of a call, if anything is known.
  std::optional<std::int64_t> prior_ns = {};
};

enum class Timing {
  none,     // no call of the phase is timed
  each,     // a time for each call
  sampled,  // a time for each of `most_samples` calls, evenly spaced, or of all if they are fewer
  summed,   // one time, of all calls together
};
constexpr std::int64_t most_samples = 16;
constexpr std::int64_t no_gap = -1;

/// Calls in a row that take the same candidate.
struct Phase {
  std::size_t candidate = 0;
  std::int64_t calls = 1;
  Timing timing = Timing::each;

  /// Returns the number of times that the ranks agree on.
  [[nodiscard]] std::int64_t times() const;
  /// Returns true if the call of this number, from 0, is timed.
  [[nodiscard]] bool is_timed(std::int64_t call) const;
  /// Returns the number of the first call, from `call` on, that is timed; `calls` if none is.
  [[nodiscard]] std::int64_t next_timed(std::int64_t call) const;
  friend bool operator==(const Phase&, const Phase&) = default;
};

/// The coming calls. Nothing is decided, and no rank needs to hear of another, until they are done.
using CallPlan = std::vector<Phase>;

/// The times of a candidate that a policy has seen.
struct Score {
  std::size_t candidate = 0;
  std::int64_t values = 0;
  std::int64_t time_ns = 0;  // what the policy compares; 0 without values
};

class Policy {
 public:
  Policy() = default;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// Returns the calls that come after a call plan that took `times_ns`: as many as its phases have
  /// times, in their order, each a mean over the ranks. The first call plan is asked for without
  /// times. A time below 1 ns, which a clock's error can make of a short call, counts as 1 ns.
  virtual CallPlan next(std::span<const std::int64_t> times_ns) = 0;

  /// Tells the policy how long the program took between each call of the call plan and the call
  /// before it, from exit to arrival: an algorithm can make that longer by what it leaves in the
  /// caches. The gaps are in the order of the times that `next` is told afterwards. A gap is
  /// `no_gap` where it is not known, as before the first call of a run, whose gap belongs to the
  /// candidate before. It is called for call plans of runs only; a policy that compares calls alone
  /// ignores it.
  virtual void heed_gaps(std::span<const std::int64_t> /*gaps_ns*/) {}

  /// Tells the policy what an agreement took, with all that it made ready; the number is the same
  /// on all ranks. The agreement ended before the calls whose times `next` is about to be told. A
  /// policy that is bounded counts it.
  virtual void count_agreement(std::int64_t /*ns*/) {}

  /// Returns a policy for calls like these on another communicator of the same ranks, or on this
  /// one if it is to begin anew. It has seen what this one has, is asked for its first call plan as
  /// any new one is, and owes what this one owes and `unpaid_ns`: time that was spent on trying and
  /// on agreeing since, and of which this one was not told. What this one had to spend stays with
  /// it. Returns null if this one learns nothing that another one could use.
  [[nodiscard]] virtual std::unique_ptr<Policy> successor(std::int64_t /*unpaid_ns*/) const {
    return nullptr;
  }

  /// Returns false only for a candidate that is never taken, whatever times there are.
  [[nodiscard]] virtual bool may_take(std::size_t /*candidate*/) const { return true; }
  /// Returns the candidate that is taken when nothing is tried.
  [[nodiscard]] virtual std::size_t leader() const = 0;
  [[nodiscard]] virtual std::vector<Score> scores() const = 0;
  /// Returns what selecting has cost so far: the agreements that were counted, and what calls of
  /// others than the leader took over the leader's time.
  [[nodiscard]] virtual std::int64_t excess_ns() const = 0;

 protected:
  Policy(const Policy&) = default;
};

/// A policy by its name, as users write it.
struct PolicyKind {
  std::string_view name;
  std::string_view parameters;  ///< what may follow the name: ":SEED"
  std::string_view summary;     ///< one line, for people
  bool weighs_times = false;    ///< it chooses by how long calls took
  bool is_bounded = false;      ///< what it tries costs no more than the budget lets it
};

/// Returns all kinds that make_policy knows.
std::span<const PolicyKind> policy_kinds();

/// Returns the kind of a text that make_policy takes.
const PolicyKind& kind_of(std::string_view policy);

/// The policy where the user names none.
constexpr std::string_view default_policy = "agstar";
/// The part of the time, in thousandths, that trying may cost where nothing else is said.
constexpr std::int64_t default_budget_permille = 50;

/// Returns the policy of this text, such as "agstar" or "fixed:ring"; policy_kinds() has all.
/// `budget_permille` is the part of the time that trying may cost, in thousandths, from 0 to 1000;
/// only agstar heeds it. There is at least one candidate. Throws text::InputError, one line that
/// begins with `option` and names the legal values, or what is given twice.
std::unique_ptr<Policy> make_policy(std::string_view text, std::vector<Candidate> candidates,
                                    std::int64_t budget_permille,
                                    std::string_view option = "policy");

}  // namespace gatherbench::policies
