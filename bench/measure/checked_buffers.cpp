// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/checked_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/test_bytes.h"
#include "mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr std::byte guard_value{0xa5};

}  // namespace

CheckedBuffers::CheckedBuffers(const mpi::Layout& layout, int rank, std::byte* send,
                               std::byte* receive)
    : layout_(&layout), rank_(rank), send_(send), receive_(receive) {
  if (send_ != nullptr) {
    fill_block({send_, static_cast<std::size_t>(layout.bytes(rank))}, rank);
  }
  spoil();
}

std::span<std::byte> CheckedBuffers::received(int block) const {
  return {receive_ + layout_->offset(block), static_cast<std::size_t>(layout_->bytes(block))};
}

std::span<std::byte> CheckedBuffers::guard() const {
  return {receive_ + layout_->total(), static_cast<std::size_t>(guard_bytes)};
}

void CheckedBuffers::spoil() {
  for (int block = 0; block < layout_->blocks(); ++block) spoil_block(received(block), block);
  if (send_ == nullptr) fill_block(received(rank_), rank_);
  std::ranges::fill(guard(), guard_value);
}

std::string CheckedBuffers::fault() const {
  if (const auto wrong = first_wrong_byte(receive_, *layout_)) {
    return fmt::format("rank {}, block {}, byte {}: 0x{:02x} where 0x{:02x} belongs", rank_,
                       wrong->block, wrong->position, static_cast<unsigned>(wrong->found),
                       static_cast<unsigned>(wrong->expected));
  }
  if (std::ranges::any_of(guard(), [](std::byte byte) { return byte != guard_value; })) {
    return fmt::format("rank {}: bytes past the end of the receive buffer were written", rank_);
  }
  if (send_ != nullptr) {
    // The own block arrived right, so the send buffer is compared with it.
    const auto own = received(rank_);
    if (!std::equal(own.begin(), own.end(), send_)) {
      return fmt::format("rank {}: its send buffer was changed", rank_);
    }
  }
  return {};
}

std::string first_text(const std::string& own, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  mpi::require(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::require(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const int mine = own.empty() ? size : rank;
  int lowest = size;
  mpi::require(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (lowest == size) return {};
  auto length = static_cast<int>(own.size());
  mpi::require(MPI_Bcast(&length, 1, MPI_INT, lowest, comm), "MPI_Bcast");
  std::string text = own;
  text.resize(static_cast<std::size_t>(length));
  mpi::require(MPI_Bcast(text.data(), length, MPI_CHAR, lowest, comm), "MPI_Bcast");
  return text;
}

}  // namespace gatherbench::bench
