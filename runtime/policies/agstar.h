// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/policies/policy.h"

namespace gatherbench::policies {

using Wide = __int128;  // a program's nanoseconds, times thousandths

/// Returns true if a / b > percent / 100.
inline bool exceeds(std::int64_t a, std::int64_t percent, std::int64_t b) {
  return Wide{100} * a > Wide{percent} * b;
}
/// Returns true if a / b < percent / 100.
inline bool is_below(std::int64_t a, std::int64_t percent, std::int64_t b) {
  return Wide{100} * a < Wide{percent} * b;
}

/// Returns twice the median of at least one value. The median of an even number of integers may end
/// in a half; twice it is an integer, and policies compute in integers only.
std::int64_t twice_median(std::span<const std::int64_t> values);
/// Returns the distance between the quartiles; of up to four values that from the least to the
/// largest.
std::int64_t spread(std::span<const std::int64_t> values);

/// The times that were seen of a candidate: as many of the last ones as the policy looks at.
class Series {
 public:
  static constexpr std::size_t most_values = 18;
  static constexpr std::size_t most_rounds = 9;
  struct InRound {
    std::int64_t round;
    std::int64_t calls;
    std::int64_t ns;  ///< of these calls together
  };

  void add(std::int64_t ns);
  /// Adds the calls of a round, whose number is above those of former rounds; in a round, the sum
  /// of its calls is what is compared.
  void add(std::span<const std::int64_t> times_ns, std::int64_t round);
  /// Adds the time between two calls; as many of the last gaps are kept as of the times.
  void add_gap(std::int64_t ns);
  void clear_gaps() { gaps_.clear(); }
  void clear();

  /// Returns the number of all times that were added, not only of those kept.
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::int64_t twice_median() const { return policies::twice_median(values_); }
  [[nodiscard]] std::span<const InRound> rounds() const { return rounds_; }
  [[nodiscard]] std::span<const std::int64_t> gaps() const { return gaps_; }

 private:
  std::int64_t count_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<InRound> rounds_;
  std::vector<std::int64_t> gaps_;
};

/// The rounds that two candidates were both in, of those kept, and in how many the first one was
/// faster, where each call of the first took `more_ns` besides.
struct Match {
  std::int64_t rounds = 0;
  std::int64_t won = 0;
};
Match match(const Series& a, const Series& b, std::int64_t more_ns = 0);

/// Selection with a bound on what it costs. STAR-MPI (Faraj 2006, 4.3) tries each algorithm ten
/// times, however slow it is; this policy tries each in a run of three calls a round, drops the
/// slow ones, and begins a round only when the excess of all former ones, over what the leader
/// would have taken, and the agreements so far are at most `budget` of the time spent since the
/// beginning.
///
/// What a call takes depends on what the call before it left in the caches, and other algorithms
/// leave other things. So the first call of a run settles: it costs, and is not compared. Where the
/// leader's calls take 10 ms or more, caches are full again after a small part of one, and each
/// call is dear: there a round has one call of each, which is compared.
///
/// An algorithm may cost the program something after the call: MPI's own one for two ranks lets the
/// peer read the send buffer, so the program's next write to it takes longer. This shows in the gap
/// from the exit of one call to the arrival at the next one of the same run. The bill of a
/// candidate is its median gap less the least median gap of all candidates, and what is compared is
/// the call and the bill. So two candidates differ by as much as their whole cycles do.
///
/// A bill is 0, and the call alone is compared, where gaps may differ for the program's own
/// reasons:
/// - The least median gap is over four times the call of its candidate: then gaps are the
///   program's.
/// - The bill is at most four times the spread of gaps, or 16 times where one of the two has but
///   the two gaps of a first round. The spread is the largest of three: the candidate's own, that
///   of the candidate with the least gap, and the median of all. Random gaps pass for a bill in 0.3
///   % of the first rounds of five candidates, and in fewer later on.
/// - Some gap of the plan is not known, as where other all-gathers came in between.
/// What remains is a program whose gaps are even for some calls and then change: it can mislead a
/// round. A duel, which a new leader has to win, has sixteen gaps of each in a row.
///
/// The time spent, of which `budget` is a part, is that of the calls without bills and gaps. The
/// excess has the bills in it, since the program pays them.
///
/// It begins with calls of `native`, the first leader. A round is a run of each candidate alive,
/// then one of the leader, so that what comes next finds what the leader leaves. A candidate is
/// dropped when its median is too far above the leader's, or when nine rounds did not show it to be
/// faster; it leads when it is faster by more than chance makes it. Between rounds are plain calls,
/// as many as pay the excess off, of the leader or of a candidate that looks clearly better. A
/// leader other than `native` is compared with it in a duel, a longer run of each: at once, since
/// native's first calls may have been slow as all first calls are; if it takes less than half of
/// native's time, as soon as the budget has what native's are expected to cost. If it is no faster
/// there, native leads again and it is dropped. When nobody is alive, windows of 16 to 256 calls
/// watch the leader: if it became slower than native was, native leads again; if it became slower
/// than itself, twice running, all of this begins anew. Plain calls of the leader that are as many
/// as a window are watched for the former too: a debt may last long. The first ones of a leader
/// that had no duel are looked at after 64 calls, whatever the debt: the two calls that count in a
/// round may have misled. A window is longer where an agreement takes long, so that it costs a
/// fifth of the budget at most.
///
/// A successor begins with native, too, and stays with it until it owes nothing: making ready what
/// it leads with has its price on each communicator.
///
/// The bound: after each call plan, excess <= budget * time spent + the excess of the last round,
/// of the duel after it, of the last plain calls of a candidate, which are at most 16, of the last
/// plain calls of a leader that became slower than native, and of the agreements since that round
/// began. Where nobody is alive any more each agreement is paid by its own window.
class Agstar final : public Policy {
 public:
  static constexpr std::int64_t warm_calls = 4;  // of native; the first one does not count
  static constexpr std::int64_t run = 3;         // calls; the first one settles
  static constexpr std::int64_t duel_run = 17;   // likewise
  static constexpr std::int64_t long_call_ns = 10'000'000;  // a run of a round is one call
  static constexpr std::int64_t first_window = 16;          // calls
  static constexpr std::int64_t longest_window = 256;       // where an agreement takes no longer
  static constexpr std::int64_t longest_of_all = 65536;
  static constexpr std::int64_t agreements_share = 5;    // of the budget: one part of so many
  static constexpr std::int64_t longest_trial = 16;      // plain calls of a candidate
  static constexpr std::int64_t first_plain_calls = 64;  // of a leader without a duel
  static constexpr std::int64_t slack_percent = 110;     // a leader became slower from here on
  static constexpr std::int64_t tie_percent = 97;        // faster only below this
  static constexpr std::int64_t certain_percent = 50;  // faster, whatever the first calls suffered
  static constexpr std::int64_t prune_percent = 200;   // of the least that is expected
  static constexpr std::int64_t longest_gap = 4;       // times the call: the gap is short
  static constexpr std::int64_t certain_gap = 4;       // times the spread: gaps differ
  static constexpr std::int64_t certain_of_few = 16;   // the same where one has fewer than `few`
  static constexpr std::size_t few = 4;
  static constexpr std::size_t most_candidates = 8;  // beside native, if times are expected

  /// Tries at most the best eight of the candidates with an expected time, and none that is
  /// expected to take over twice the least of all; candidates without one count as better than all.
  /// If none has an expected time, all are tried.
  Agstar(const std::vector<Candidate>& candidates, std::int64_t budget_permille);

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  void heed_gaps(std::span<const std::int64_t> gaps_ns) override;
  void count_agreement(std::int64_t ns) override;
  [[nodiscard]] std::unique_ptr<Policy> successor(std::int64_t unpaid_ns) const override;
  [[nodiscard]] std::size_t leader() const override { return leader_; }
  [[nodiscard]] std::vector<Score> scores() const override;
  [[nodiscard]] std::int64_t excess_ns() const override { return twice_excess_ / 2; }

  [[nodiscard]] std::span<const std::size_t> alive() const { return alive_; }
  [[nodiscard]] std::int64_t spent_ns() const { return twice_spent_ / 2; }

 private:
  enum class Kind { start, warm, round, duel, wait, window, pay };

  /// Adds the gaps of the runs that are done, and computes all bills anew.
  void make_out_bills();
  [[nodiscard]] static std::int64_t bill_of(const Series& series, const Series& least,
                                            std::int64_t common_spread);
  void finish(std::span<const std::int64_t> times);
  void finish_round(std::span<const std::int64_t> times);
  void finish_duel(std::span<const std::int64_t> times);
  void finish_wait(std::span<const std::int64_t> times);
  void finish_window(std::span<const std::int64_t> times);
  /// Counts what the plan's calls, which are runs, took over the leader's time. Of the leader's own
  /// calls only the one that settles counts, which others made slow.
  void count_runs(std::span<const std::int64_t> times, std::int64_t twice_leader_time);
  /// Makes native lead again if the leader's calls became slower than native was, and returns true
  /// then. What these calls took over native's time counts.
  bool back_to_native_if_slower(std::int64_t calls, std::int64_t twice_leader_time);
  void drop_slow();
  void drop_beaten_and_elect();
  void elect(std::size_t candidate);
  void begin_anew(std::int64_t leader_ns);

  void plan();
  void plan_round();
  void plan_duel();
  void plan_wait();
  void plan_pay();
  void plan_window();
  /// Returns the debt in nanoseconds times 2000.
  [[nodiscard]] Wide debt() const;
  [[nodiscard]] bool in_debt(std::int64_t twice_more = 0) const;
  [[nodiscard]] bool duel_is_due() const;
  /// Returns how many calls of the candidate pay the debt.
  [[nodiscard]] std::int64_t calls_that_pay(std::size_t candidate) const;
  /// Returns how many calls of the leader it takes to make an agreement a small part of their time.
  [[nodiscard]] std::int64_t calls_that_pay_an_agreement() const;
  /// Returns `calls`, or fewer if they are the first plain ones of a leader that had no duel.
  [[nodiscard]] std::int64_t plain_calls(std::int64_t calls);
  [[nodiscard]] std::size_t waiting_candidate() const;

  /// Returns twice what is compared of a candidate: the call and the bill.
  [[nodiscard]] std::int64_t twice_time(std::size_t candidate) const {
    return twice_call(candidate) + 2 * bills_[candidate];
  }
  [[nodiscard]] std::int64_t twice_call(std::size_t candidate) const {
    return series_[candidate].twice_median();
  }
  /// Returns twice what is compared of a candidate whose calls took these times.
  [[nodiscard]] std::int64_t twice_time(std::size_t candidate,
                                        std::span<const std::int64_t> times) const {
    return twice_median(times) + 2 * bills_[candidate];
  }

  std::int64_t budget_permille_;
  std::vector<std::size_t> tried_;   // the candidates but native, the best one first
  std::vector<Series> series_;       // of each candidate
  std::vector<std::int64_t> gaps_;   // of the call plan that is done; empty: not known
  std::vector<std::int64_t> bills_;  // of each candidate
  std::size_t leader_ = 0;
  bool is_proven_ = true;   // the leader is native, or was faster in a duel
  bool is_unseen_ = false;  // the leader has had no plain calls since it was elected
  std::vector<std::size_t> alive_;
  // Twice, since a median may have half a nanosecond.
  std::int64_t twice_excess_ = 0;
  std::int64_t twice_spent_ = 0;
  std::int64_t twice_owed_ = 0;    // by those whose successor this one is
  std::int64_t agreement_ns_ = 0;  // the last one that was counted
  std::int64_t rounds_ = 0;
  bool trial_cost_ = false;  // plain calls of a candidate, since the last round, took too long
  std::optional<std::int64_t> twice_reference_;  // of the first window
  std::int64_t window_ = first_window;
  int slower_windows_ = 0;  // running
  Kind kind_ = Kind::start;
  CallPlan call_plan_;
};

}  // namespace gatherbench::policies
