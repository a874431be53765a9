// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {

struct TrafficKind {
  using Begin = int(const void* send, void* receive, int count, MPI_Comm comm,
                    MPI_Request* request);

  std::string_view name;
  bool sends_all;  ///< a block for each rank, else one
  bool receives_all;
  int element_bytes;
  Begin* begin;
};

namespace {

// Reductions combine floats.
constexpr std::array kinds{
    TrafficKind{
        "reduce_scatter", true, false, sizeof(float),
        [](const void* send, void* receive, int count, MPI_Comm comm, MPI_Request* request) {
          return MPI_Ireduce_scatter_block(send, receive, count, MPI_FLOAT, MPI_SUM, comm, request);
        }},
    TrafficKind{
        "allreduce", false, false, sizeof(float),
        [](const void* send, void* receive, int count, MPI_Comm comm, MPI_Request* request) {
          return MPI_Iallreduce(send, receive, count, MPI_FLOAT, MPI_SUM, comm, request);
        }},
    TrafficKind{
        "allgather", false, true, 1,
        [](const void* send, void* receive, int count, MPI_Comm comm, MPI_Request* request) {
          return MPI_Iallgather(send, count, MPI_CHAR, receive, count, MPI_CHAR, comm, request);
        }},
    TrafficKind{
        "alltoall", true, true, 1,
        [](const void* send, void* receive, int count, MPI_Comm comm, MPI_Request* request) {
          return MPI_Ialltoall(send, count, MPI_CHAR, receive, count, MPI_CHAR, comm, request);
        }}};

constexpr std::int64_t most_bytes_of_calls = std::int64_t{1}
                                             << 30;  // so that counts fit into an int

/// Written once: the kernel gives one page of zeros for all that never were.
mpi::Buffer filled(std::int64_t bytes) {
  mpi::Buffer buffer(bytes);
  if (bytes > 0) std::memset(buffer.data(), 1, static_cast<std::size_t>(bytes));
  return buffer;
}

}  // namespace

std::string traffic_forms() {
  std::vector<std::string> forms;
  for (const TrafficKind& kind : kinds) forms.push_back(fmt::format("{}:SIZE", kind.name));
  return fmt::format("{}", fmt::join(forms, "|"));
}

std::int64_t TrafficChoice::buffer_bytes(int ranks) const {
  if (kind == nullptr) return 0;
  return bytes * ((kind->sends_all ? ranks : 1) + (kind->receives_all ? ranks : 1));
}

TrafficChoice parse_traffic(std::string_view option, std::string_view text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const auto* const kind = std::ranges::find(kinds, text.substr(0, colon), &TrafficKind::name);
  if (kind == kinds.end() || colon == std::string_view::npos) {
    throw text::bad_value(option, text,
                          fmt::format("is no collective with a size; legal: {}", traffic_forms()));
  }
  const std::int64_t bytes = text::parse_bytes(option, text.substr(colon + 1));
  if (bytes % kind->element_bytes != 0 || bytes > most_bytes_of_calls) {
    throw text::bad_value(option, text,
                          fmt::format("is no size of it; legal: multiples of {} bytes, up to 1G",
                                      kind->element_bytes));
  }
  return {kind, bytes, std::string(text)};
}

Traffic::Traffic(const TrafficChoice& choice, MPI_Comm comm) : choice_(choice) {
  if (choice.kind == nullptr) return;
  comm_ = mpi::Communicator::duplicate(comm);
  const std::int64_t all = choice.bytes * comm_.size();
  send_ = filled(choice.kind->sends_all ? all : choice.bytes);
  receive_ = filled(choice.kind->receives_all ? all : choice.bytes);
}

void Traffic::begin() {
  const auto count = static_cast<int>(choice_.bytes / choice_.kind->element_bytes);
  mpi::require(choice_.kind->begin(send_.data(), receive_.data(), count, comm_.get(), &request_),
               fmt::format("--beside {}", choice_.label));
}

void Traffic::end() { mpi::require(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

}  // namespace gatherbench::bench
