// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/handles.h"

#include <array>
#include <string>

namespace gatherbench::mpi {
namespace {

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

MpiError::MpiError(std::string_view call, int code)
    : std::runtime_error(std::string(call) + ": " + error_text(code)) {}

Communicator::Communicator(MPI_Comm handle) : handle_(handle) {
  require(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Communicator Communicator::duplicate(MPI_Comm original) {
  MPI_Comm copy = MPI_COMM_NULL;
  require(MPI_Comm_dup(original, &copy), "MPI_Comm_dup");
  return Communicator(copy);
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
}

int Communicator::rank() const {
  int rank = 0;
  require(MPI_Comm_rank(handle_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::size() const {
  int size = 0;
  require(MPI_Comm_size(handle_, &size), "MPI_Comm_size");
  return size;
}

Datatype::~Datatype() {
  if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
}

}  // namespace gatherbench::mpi
