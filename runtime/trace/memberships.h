// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/trace/repeats.h"

namespace gatherbench::trace {

/// A communicator, as one of its ranks sees it.
struct Membership {
  std::int64_t id = 0;       // the same on all its ranks, and of no other communicator
  std::uint32_t number = 0;  // in this rank's file
  int rank = 0;
  int ranks = 0;
  bool traced = true;
  std::atomic<std::uint32_t> calls = 0;
  Repeats repeats = {};
};

/// The communicators that had a collective call. Each carries its membership as an attribute, which
/// goes with it: handles are used again, attributes are not.
class Memberships {
 public:
  explicit Memberships(MPI_Comm world);
  ~Memberships();
  Memberships(const Memberships&) = delete;
  Memberships& operator=(const Memberships&) = delete;

  /// Returns the membership of `comm`. The first call for a communicator is collective over it,
  /// since its ranks agree on an id, unless it is one between groups or has processes outside the
  /// world.
  Membership& of(MPI_Comm comm);
  [[nodiscard]] std::uint32_t count();
  /// Returns a line `NUMBER ID RANK RANKS` for each traced one whose number is `first` or more.
  [[nodiscard]] std::vector<std::string> lines_from(std::uint32_t first);

 private:
  [[nodiscard]] bool within_world(MPI_Comm comm) const;

  int key_ = MPI_KEYVAL_INVALID;
  int world_rank_ = 0;
  MPI_Group world_ = MPI_GROUP_NULL;
  std::atomic<std::int32_t> ids_ = 0;  // given out by this rank
  std::mutex mutex_;                   // of `known_`
  std::deque<Membership> known_;       // whose elements never move
};

}  // namespace gatherbench::trace
