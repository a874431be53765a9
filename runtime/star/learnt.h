// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "runtime/policies/policy.h"

namespace gatherbench::star {

/// The kind of calls on a communicator that learn together. A key holds nothing but what MPI
/// obliges all ranks to have alike: not the call site, nor the datatypes, nor where blocks lie.
struct Key {
  const collectives::Collective* collective = &collectives::allgather;
  bool exact = true;  ///< `size` is a block's bytes; else what size_class says of all bytes
  std::int64_t size = 0;
  int skew = 0;              ///< skew_class; of unequal blocks
  int root = 0;              ///< of a collective that has one
  std::string_view op = {};  ///< name_of; of a reduction

  bool operator==(const Key&) const = default;
  /// Returns the key as text, such as "allgather 4096", "allgatherv class 48 skew 1" or
  /// "reduce 4096 sum root 3".
  [[nodiscard]] std::string text() const;
};

/// Returns the class of a size. There are four classes for each factor of two, from 1 byte on.
[[nodiscard]] int size_class(std::int64_t bytes);

/// Returns how often the factor of two goes into ranks x largest / total, up to 7.
[[nodiscard]] int skew_class(int ranks, std::int64_t largest, std::int64_t total);

/// The state that the last agreement on calls of a key left, between the same ranks of the world in
/// the same order, whichever communicator it was on.
struct Learnt {
  std::vector<int> ranks;
  Key key;
  std::vector<std::string> candidates;
  std::int64_t agreed_ns = 0;  ///< when; the same on all ranks
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

  /// Keeps the state, in place of what was known of such calls. Forgets the oldest state if there
  /// are more than `most`.
  void keep(Learnt learnt);
  /// Marks the state of such calls as ended, since its communicator is gone. Does nothing if that
  /// state is not the one that the agreement of that time left.
  void end(const std::vector<int>& ranks, const Key& key, std::int64_t agreed_ns,
           std::int64_t unpaid_ns);
  /// Returns the state of such calls; one without a policy says that nothing is known.
  [[nodiscard]] Learnt find(const std::vector<int>& ranks, const Key& key) const;

 private:
  mutable std::mutex mutex_;
  std::list<Learnt> learnt_;  // the latest first
};

}  // namespace gatherbench::star
