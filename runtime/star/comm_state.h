// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "runtime/star/call/call.h"
#include "runtime/star/duplicate_comm.h"
#include "runtime/star/session.h"
#include "runtime/star/world.h"

namespace gatherbench::star {

/// A communicator of the program, as one of its ranks sees it: its sessions.
class CommState {
 public:
  /// Throws mpi::MpiError.
  CommState(World& world, MPI_Comm comm);

  std::list<CommState>::iterator place;  ///< in the list of all states

  /// Returns whether all its calls are passed on to the MPI library.
  [[nodiscard]] bool is_passed_on() const { return passed_on_ || duplicate_.ranks() == 1; }
  void pass_on() {
    passed_on_ = true;
    shape_ = {};
  }

  /// Returns true if the call is as the last one that had a session, and is the MPI library's with
  /// nothing to be noted. Then it counts as done. Programs repeat a call again and again; one that
  /// is left alone should take no time.
  bool pass(const Call& call) { return repeats(call) && last_->pass(); }

  /// Returns the session of a call. Null if the call is to be passed on and does not count: it
  /// moves nothing, or it is not as MPI wants it, which the MPI library will say. Collective for
  /// the first call of a session. Throws mpi::MpiError.
  Session* session_of(const Call& call) {
    const bool is_last = repeats(call) && (last_->is_quiet() || !is_refused(call));
    Session* const session = is_last ? last_ : find_session(call);
    if (session != nullptr && !session->is_quiet()) session->make_ready(call, block_bytes_);
    return session;
  }
  /// Returns the bytes of the blocks of a rank's result in the last call that had a session.
  [[nodiscard]] std::span<const std::int64_t> block_bytes() const { return block_bytes_; }

  [[nodiscard]] DuplicateComm& duplicate() { return duplicate_; }
  [[nodiscard]] const std::list<Session>& sessions() const { return sessions_; }
  /// Closes all sessions: they make no MPI call any more.
  void close();

 private:
  /// The bytes of a block in calls of a collective.
  using Size = std::pair<const collectives::Collective*, std::int64_t>;

  [[nodiscard]] bool repeats(const Call& call) const {
    return shape_.is_of(call) && (!call.is_v() || call.receives.are(counts_));
  }
  Session* find_session(const Call& call);
  /// Returns true if algorithms can be chosen for such calls, which all ranks find alike.
  [[nodiscard]] bool is_served(const Call& call) const;
  /// Returns true if the call's blocks are such as MPI allows, and not all empty; sets
  /// block_bytes_.
  bool measure(const Call& call);
  bool measure_equal(const Call& call, std::int64_t element);
  bool measure_unequal(const Call& call, std::int64_t element);
  [[nodiscard]] bool is_refused(const Call& call) const;
  /// Returns whether calls of the size have sessions of their own, or are to have them.
  [[nodiscard]] bool may_be_exact(const Size& size) const;
  [[nodiscard]] Key key_of(const Call& call) const;
  [[nodiscard]] Session* find(const Key& key);

  /// The number of sizes of a block that have sessions of their own, of each collective.
  static constexpr std::ptrdiff_t most_exact = 8;
  /// Calls of further kinds are left to the MPI library: a root for each rank makes many of them.
  static constexpr std::size_t most_sessions = 256;

  World& world_;
  DuplicateComm duplicate_;
  bool passed_on_;
  std::vector<std::int64_t> block_bytes_;
  std::int64_t equal_bytes_ = -1;  // of each block, if they are equal; negative: they need not be
  std::list<Session> sessions_;
  Session* last_ = nullptr;           // of the last call that had one
  Shape shape_;                       // of that call; no call's if its types have no name
  std::vector<std::int64_t> counts_;  // of that call, if each rank has its own
  std::vector<Size> exact_;           // those that have sessions of their own
};

}  // namespace gatherbench::star
