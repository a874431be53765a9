// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"

// A collective of the MPI library that is under way on a second communicator while ours are timed
// (--beside), as fully sharded training has a reduce-scatter beside its all-gather.
namespace gatherbench::bench {

/// A collective that can be under way; all are non-blocking ones of the library.
struct TrafficKind;

struct TrafficChoice {
  const TrafficKind* kind = nullptr;  ///< null: nothing
  std::int64_t bytes = 0;             ///< of the block of a rank
  std::string label = {};             ///< as it was asked for
  /// Returns the bytes of a rank's buffer among so many ranks.
  [[nodiscard]] std::int64_t buffer_bytes(int ranks) const;
};

/// Returns the forms of a choice, "KIND:SIZE|...", for --help and messages.
std::string traffic_forms();

/// Reads the value of an option; an empty text is no traffic. Throws InputError.
TrafficChoice parse_traffic(std::string_view option, std::string_view text);

/// One call at a time on a communicator of its own.
class Traffic {
 public:
  Traffic() = default;  ///< no traffic
  /// Prepares calls of all ranks of `comm`, on a copy of it. Collective.
  Traffic(const TrafficChoice& choice, MPI_Comm comm);
  /// Begins the call. Throws MpiError.
  void begin();
  /// Waits for the end of the call. Throws MpiError.
  void end();

 private:
  TrafficChoice choice_;
  mpi::Communicator comm_;
  mpi::Buffer send_;
  mpi::Buffer receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace gatherbench::bench
