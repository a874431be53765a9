// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element_type.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/reduction.h"
#include "runtime/mpi/window/channel.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::mpi {

/// The messages of a rank's step: each peer once, in rising order, also one that only a token goes
/// to, and the bytes of all messages.
struct StepMessages {
  bool barrier = false;  ///< all ranks wait for each other first
  std::vector<int> to = {};
  std::vector<int> from = {};
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
};

/// A lowered schedule bound to buffers and a communicator: addresses, datatypes, and the MPI calls
/// of each step. Nothing of a run is kept here, so that there can be several ways to run it.
/// Functions that call MPI throw MpiError.
class BoundSchedule {
 public:
  struct Step {
    bool barrier;
    bool leaves;
    Range receives, sends, unpacking;
    Range puts, takes;  ///< through the window
    [[nodiscard]] std::size_t requests() const { return receives.size() + sends.size(); }
  };

  /// Blocks go through the window, if there is one, to the ranks that it reaches. Blocks for other
  /// ranks are messages, as tokens always are.
  BoundSchedule(MPI_Comm comm, Memory memory, const Reduction& reduction,
                std::shared_ptr<NodeWindow> window)
      : comm_(comm), memory_(memory), reduction_(reduction), window_(std::move(window)) {}

  /// Binds the schedule to buffers, as Plan::bind does.
  void bind(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive);

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// Returns the number of leading steps that can run before the own block is there; 0 with a
  /// window.
  [[nodiscard]] std::size_t background_steps() const { return background_steps_; }
  [[nodiscard]] StepMessages messages(std::size_t step) const;

  /// Does the copies before the first step; copy_behind() does those behind the last one.
  void copy_before() const { copy(prologue_); }
  void copy_behind() const { copy(epilogue_); }
  void unpack(const Step& step) const { copy(step.unpacking); }

  /// Does a whole step at once; there are as many `requests` as the step has, and `copies` has none
  /// on its way.
  void communicate(const Step& step, std::vector<MPI_Request>& requests, Copies& copies) const;
  /// Begins the messages of a step, whose requests lie behind the `used` first; returns how many of
  /// the requests are in use then.
  int post(const Step& step, int used, std::vector<MPI_Request>& requests) const;
  /// Adds the transfers of a step that go through the window.
  void begin_copies(const Step& step, Copies& copies) const;

  /// Returns true if the root broadcasts after the steps.
  [[nodiscard]] bool has_broadcast() const { return broadcast_.buffer != nullptr; }
  void broadcast() const;
  void begin_broadcast(MPI_Request& request) const;

  /// Makes sure that the schedule's own buffers are never freed: a message that could not be
  /// cancelled may still be read from them. `bind` makes new ones.
  void keep_buffers();

 private:
  struct ByteCopy {
    std::byte* to;
    std::byte* from;
    std::size_t bytes;
    algorithms::Incoming incoming;
    // The number of elements that have gaps, and the distance from one to the next, in bytes;
    // `bytes` is of one element.
    std::int64_t elements = 1;
    std::int64_t to_step = 0;
    std::int64_t from_step = 0;
  };
  /// A message with all that the MPI call needs which sends or receives it.
  struct BoundMessage {
    void* buffer = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_CHAR;
    int peer = 0;
    int tag = 0;
    Range packing{};  // copies before it is sent
  };

  /// The pieces that one peer gets, or gives, in a step through the window.
  struct Transfer {
    int peer;
    Range pieces;
    Range packing;  // copies before it is sent
    // The number of transfers from this one on that put the same bytes, where it is the first.
    std::size_t receivers = 1;
  };

  [[nodiscard]] std::byte* address(Area area, std::int64_t offset_of_data) const;
  Range add(std::span<const Copy> copies);
  Range add(std::span<const Message> messages);
  [[nodiscard]] bool goes_through_window(const Message& message) const {
    return window_ != nullptr && !message.pieces.empty() && window_->reaches(message.peer);
  }
  Range add_transfers(std::span<const Message> messages);
  /// Finds which of the transfers put the same bytes one after the other.
  void join_receivers(const Range& puts);
  [[nodiscard]] Strided strided(const Piece& piece) const;
  [[nodiscard]] std::span<const Strided> pieces_of(const Transfer& transfer) const {
    return std::span(pieces_).subspan(transfer.pieces.first, transfer.pieces.size());
  }
  [[nodiscard]] BoundMessage bound(const Message& message);
  [[nodiscard]] ByteCopy byte_copy(const Copy& copy) const;
  static void copy_elements(const ByteCopy& one);
  void copy_on_device(const Range& range) const;
  void copy(const Range& range) const;
  void combine(const ByteCopy& bytes) const;

  const std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  MPI_Comm comm_;
  Memory memory_;
  Reduction reduction_;
  std::shared_ptr<NodeWindow> window_;  // null: none
  ElementType element_;                 // of the caller's buffers
  Buffer scratch_;
  Buffer packed_;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t packed_bytes_ = 0;
  std::vector<Datatype> types_;
  std::vector<BoundMessage> messages_;
  std::vector<Transfer> transfers_;
  std::vector<PutEnd*> ends_;  // of each transfer that puts
  std::vector<Strided> pieces_;
  std::vector<ByteCopy> copies_;
  std::vector<Step> steps_;
  std::size_t background_steps_ = 0;
  Range prologue_{};
  Range epilogue_{};
  BoundMessage broadcast_{};  // no buffer: none
};

}  // namespace gatherbench::mpi
