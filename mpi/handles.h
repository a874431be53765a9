// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace gatherbench::mpi {

/// An MPI call that failed, with the MPI library's own text.
class MpiError : public std::runtime_error {
 public:
  MpiError(std::string_view call, int code);
};

/// Throws MpiError if `code` is not MPI_SUCCESS. `call` names the function, for the message.
inline void require(int code, std::string_view call) {
  if (code != MPI_SUCCESS) throw MpiError(call, code);
}

/// Owns a communicator; errors on it are returned, not fatal.
class Communicator {
 public:
  Communicator() = default;
  /// Takes over a communicator that the caller made.
  explicit Communicator(MPI_Comm handle);
  static Communicator duplicate(MPI_Comm original);
  Communicator(Communicator&& other) noexcept
      : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Communicator();

  [[nodiscard]] MPI_Comm get() const { return handle_; }
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

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

}  // namespace gatherbench::mpi
