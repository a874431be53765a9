// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/conditions/buffer_ring.h"
#include "bench/conditions/other_bytes.h"
#include "bench/measure/checked_buffers.h"
#include "bench/options/values/buffer_choice.h"

namespace gatherbench::bench {

/// The buffers of a case on one rank, call after call: which pair is next, and what is done to it
/// before the call (--buffers) and after it (--read). None of it is collective.
class CallBuffers {
 public:
  /// `send` is null in place. `contents` is of these buffers, or null where nobody reads the bytes
  /// and the choice is `same`; `other` is for `cold`. Both outlive it.
  CallBuffers(const BufferChoice& choice, std::byte* send, std::byte* receive,
              CheckedBuffers* contents, const OtherBytes& other);
  /// Makes buffers for `rotate`, with the first pair at `send` and `receive`, and fills all pairs.
  CallBuffers(const BufferRing& ring, std::byte* send, std::byte* receive,
              CheckedBuffers* contents);

  /// Turns to the buffers of the next call. Returns false if they are those of the last one.
  bool next();
  /// Does what --buffers says, as the last thing before the ranks are synchronised for the call.
  /// `fresh` writes again what CheckedBuffers::renew has written if the result is looked at later;
  /// else it writes new bytes, as fast as a program can.
  void make_ready(bool is_looked_at);
  /// Returns whether `make_ready` writes what the rank sends, as a program does before a call.
  [[nodiscard]] bool writes() const { return use_ == BufferUse::fresh; }
  /// Reads the whole result, as a program does after a call.
  void read() const;

  /// Returns the send buffer of the next call; `receive` the other. `next` may turn to others.
  [[nodiscard]] std::byte* send() const { return contents_ == nullptr ? send_ : contents_->send(); }
  [[nodiscard]] std::byte* receive() const {
    return contents_ == nullptr ? receive_ : contents_->receive();
  }

 private:
  void turn_to(std::int64_t pair);

  BufferUse use_;
  BufferRing ring_;
  std::byte* send_;     // of the first pair
  std::byte* receive_;  // of the first pair
  CheckedBuffers* contents_;
  const OtherBytes* other_ = nullptr;
  std::int64_t pair_ = 0;
};

}  // namespace gatherbench::bench
