// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gatherbench::mpi {

/// An MPI call that failed, with the MPI library's own text.
class MpiError : public std::runtime_error {
 public:
  MpiError(std::string_view call, int code);
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Throws MpiError if `code` is not MPI_SUCCESS. `call` names the function, for the message.
inline void require(int code, std::string_view call) {
  if (code != MPI_SUCCESS) throw MpiError(call, code);
}

// All functions that follow throw MpiError.

[[nodiscard]] int rank_of(MPI_Comm comm);
[[nodiscard]] int size_of(MPI_Comm comm);

/// Returns the root's text, on every rank. Collective.
[[nodiscard]] std::string broadcast_text(std::string text, int root, MPI_Comm comm);

/// Returns MPI_Get_library_version's text, in one line.
[[nodiscard]] std::string library_version();

/// Owns a communicator; errors on it are returned, not fatal.
class Communicator {
 public:
  Communicator() = default;
  /// Takes over a communicator that the caller made.
  explicit Communicator(MPI_Comm handle);
  static Communicator duplicate(MPI_Comm original);
  /// Returns a communicator of the ranks of `comm` on this rank's node, in their order. Collective.
  static Communicator of_node(MPI_Comm comm);
  Communicator(Communicator&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Communicator();
  /// Gives it up without freeing it.
  MPI_Comm release() { return std::exchange(handle_, MPI_COMM_NULL); }

  [[nodiscard]] MPI_Comm get() const { return handle_; }
  [[nodiscard]] int rank() const { return rank_of(handle_); }
  [[nodiscard]] int size() const { return size_of(handle_); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// Owns a committed datatype.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype committed) : handle_(committed) {}
  Datatype(Datatype&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Datatype();

  [[nodiscard]] MPI_Datatype get() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

/// Returns the rank in `part` of each rank of `comm`, or -1. No communication.
[[nodiscard]] std::vector<int> ranks_in(MPI_Comm part, MPI_Comm comm);

/// Returns the lowest rank on this rank's node: the same on all ranks of a node, and of no other
/// node. Collective.
[[nodiscard]] int lowest_rank_on_node(MPI_Comm comm);

}  // namespace gatherbench::mpi
