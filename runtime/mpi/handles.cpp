// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/handles.h"

#include <algorithm>
#include <array>
#include <numeric>
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
    : std::runtime_error(std::string(call) + ": " + error_text(code)), code_(code) {}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  require(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  require(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

std::string broadcast_text(std::string text, int root, MPI_Comm comm) {
  auto length = static_cast<int>(text.size());
  require(MPI_Bcast(&length, 1, MPI_INT, root, comm), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  require(MPI_Bcast(text.data(), length, MPI_CHAR, root, comm), "MPI_Bcast");
  return text;
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  require(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string line(text.data());
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\t', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

Communicator::Communicator(MPI_Comm handle) : handle_(handle) {
  require(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Communicator Communicator::duplicate(MPI_Comm original) {
  MPI_Comm copy = MPI_COMM_NULL;
  require(MPI_Comm_dup(original, &copy), "MPI_Comm_dup");
  return Communicator(copy);
}

Communicator Communicator::of_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  require(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_of(comm), MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
  return Communicator(node);
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
}

Datatype::~Datatype() {
  if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
}

std::vector<int> ranks_in(MPI_Comm part, MPI_Comm comm) {
  std::vector<int> ranks(static_cast<std::size_t>(size_of(comm)));
  std::vector<int> found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  require(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  require(MPI_Comm_group(part, &some), "MPI_Comm_group");
  require(MPI_Group_translate_ranks(all, static_cast<int>(ranks.size()), ranks.data(), some,
                                    found.data()),
          "MPI_Group_translate_ranks");
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  for (int& rank : found) rank = rank == MPI_UNDEFINED ? -1 : rank;
  return found;
}

int lowest_rank_on_node(MPI_Comm comm) {
  int lowest = rank_of(comm);
  require(MPI_Bcast(&lowest, 1, MPI_INT, 0, Communicator::of_node(comm).get()), "MPI_Bcast");
  return lowest;
}

}  // namespace gatherbench::mpi
