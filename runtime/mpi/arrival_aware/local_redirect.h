// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/reduction.h"

namespace gatherbench::mpi {

/// A vector that one rank hands over to another, which combines it with its own.
struct Redirect {
  int from;
  int to;
  bool operator==(const Redirect&) const = default;
};

/// Pairs the children that a rank finds ready at once: in each pair, the first gives its vector to
/// the second; one that is left over gives it to the rank itself (`parent`). Replaces what
/// `redirects` held.
void pair_up(std::span<const int> ready, int parent, std::vector<Redirect>& redirects);

/// A reduction whose ranks find out while it runs who is there (after Marendic et al. 2012). The
/// ranks are a binomial tree, from the root on. One that has the vectors of its children tells its
/// parent that it is ready, and is told whom to give its vector, or whose to take; after that one
/// it is ready again. So children that are there do not wait for a parent that is busy, or whose
/// other children are late. Vectors are combined in any order: operators commute.
///
/// The communicator serves one call after the other, without anything between them: messages of
/// two ranks do not overtake each other, and a parent awaits each child by its number, so that a
/// child which is in the next call already is heard in the next one.
class LocalRedirect {
 public:
  /// The reduction is of `bytes` bytes of whole elements. `send` is null at a root that has its
  /// contribution in `receive`, which the other ranks do not use. The buffers and the communicator
  /// must outlive the object; nothing else may use the communicator. The object's own buffers are
  /// of `memory`. Throws MpiError.
  LocalRedirect(const Reduction& reduction, std::int64_t bytes, const std::byte* send,
                std::byte* receive, MPI_Comm comm, int root, Memory memory = Memory::own);
  /// Makes the next calls use these buffers; `send` is null if it was null before.
  void use_buffers(const std::byte* send, std::byte* receive);
  /// Runs the reduction once. Allocates nothing, and needs no library that buffers. Throws
  /// MpiError.
  void run();

 private:
  void await_ready(std::size_t child);
  /// Returns when this rank has what all of its children had.
  void gather_children();
  void answer(const Redirect& redirect);
  /// Receives the vector of a rank, and combines it.
  void take(int from);
  void hand_over();

  Reduction reduction_;
  std::int64_t bytes_;
  MPI_Comm comm_;
  Memory memory_;
  int rank_;
  int parent_;  // the root is its own parent
  std::vector<int> children_;
  std::vector<MPI_Request> tokens_;  // each child's token, which says that it is ready
  std::vector<int> completed_;       // for MPI_Waitsome
  std::vector<int> ready_;           // children
  std::vector<Redirect> redirects_;
  Datatype large_;  // type of a vector whose bytes int cannot count
  MPI_Datatype type_ = MPI_CHAR;
  int count_ = 0;
  Buffer incoming_;
  Buffer combined_;                  // not at the root
  const std::byte* send_ = nullptr;  // the rank's contribution
  std::byte* result_ = nullptr;      // where vectors are combined
  const std::byte* held_ = nullptr;  // what it has so far: one of the two
};

}  // namespace gatherbench::mpi
