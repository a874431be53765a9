// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/mpi/window/channel.h"

namespace gatherbench::mpi {

/// The transfers of a step that go through channels, while they are on their way. All of them go on
/// at once: one that waits for a slot holds up none of the others.
class Copies {
 public:
  /// The three add transfers: to one rank; the same pieces to each of `to`, by way of the stage
  /// where that is faster; and from one rank. A channel has one transfer at a time; the pieces and
  /// the list of ends outlive it.
  void put(PutEnd& to, std::span<const Strided> pieces) { puts_.push_back({&to, Cursor(pieces)}); }
  void put(std::span<PutEnd* const> to, std::span<const Strided> pieces, Stage& stage);
  void take(TakeEnd& from, std::span<const Strided> pieces) {
    takes_.push_back({&from, Cursor(pieces)});
  }
  /// Goes on as far as that goes without waiting; returns true if any bytes have moved.
  bool advance();
  /// The number of transfers that have not ended.
  [[nodiscard]] std::size_t left() const { return staged_.size() + puts_.size() + takes_.size(); }
  /// True if all transfers have ended. What was put may still be in the channels, but the buffers
  /// that it came from are the caller's again.
  [[nodiscard]] bool done() const { return left() == 0; }

 private:
  template <class End>
  struct OnItsWay {
    End* end;
    Cursor cursor;
  };
  struct Staged {
    std::span<PutEnd* const> to;
    Cursor cursor;
    Stage* stage;
    int waits = 0;  // since bytes have moved
  };
  template <class End>
  static bool advance(std::vector<OnItsWay<End>>& transfers);
  bool advance_staged();
  void put_by_slots(std::span<PutEnd* const> to, const Cursor& cursor);

  std::vector<Staged> staged_;
  std::vector<OnItsWay<PutEnd>> puts_;
  std::vector<OnItsWay<TakeEnd>> takes_;
};

}  // namespace gatherbench::mpi
