// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/policies/policy.h"
#include "runtime/star/key.h"

namespace gatherbench::star {

/// The state that the last agreement on calls of a key left, between the same ranks of the world in
/// the same order, whichever communicator it was on.
struct Learnt {
  std::vector<int> ranks;
  Key key;
  std::vector<std::string> candidates;
  std::int64_t agreed_ns = 0;  ///< when, by the common clock; the same on all ranks
  bool has_ended = false;      ///< its communicator is gone, and `unpaid_ns` is known
  std::int64_t unpaid_ns = 0;  ///< on this rank, of trying and agreeing since
  std::shared_ptr<const policies::Policy> policy;

  /// Returns a number that this state has on all ranks that have it, and no other state has; 0 is
  /// none.
  [[nodiscard]] std::int64_t name() const { return 2 * agreed_ns + (has_ended ? 1 : 0); }
};

/// All states that this rank has learnt. Where each thread has its communicator, one rank may be
/// further with one communicator, and another rank with the other. So a state that a rank finds
/// here is no more than a proposal: the ranks of the next communicator go on from it when their
/// first agreement, which they make anyway, finds that all propose the same, and begin anew if not.
/// They also begin anew if a rank has forgotten the state.
class Memory {
 public:
  static constexpr std::size_t most = 64;

  /// Replaces what was known of such calls.
  void keep(Learnt learnt);
  /// The communicator of the agreement of that time is gone.
  void end(const std::vector<int>& ranks, const Key& key, std::int64_t agreed_ns,
           std::int64_t unpaid_ns);
  /// Returns the state; one without a policy says that nothing is known.
  [[nodiscard]] Learnt find(const std::vector<int>& ranks, const Key& key) const;

 private:
  mutable std::mutex mutex_;
  std::list<Learnt> learnt_;  // the latest first
};

}  // namespace gatherbench::star
