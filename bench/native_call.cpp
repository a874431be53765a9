// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "bench/byte_types.h"

namespace gatherbench {
namespace {

/// Bytes of one counted element: 1, or where int cannot count bytes, what all blocks are multiples
/// of.
std::int64_t unit_bytes(const Layout& layout) {
  if (layout.total() <= most_plain_bytes) return 1;
  std::int64_t unit = 0;
  for (int block = 0; block < layout.blocks(); ++block) {
    unit = std::gcd(unit, layout.bytes(block));
  }
  return unit;
}

}  // namespace

NativeCall::NativeCall(Collective collective, const Layout& layout, const std::byte* send,
                       std::byte* receive, MPI_Comm comm, std::vector<Setting> settings)
    : collective_(collective),
      send_(send == nullptr ? MPI_IN_PLACE : send),
      receive_(receive),
      comm_(comm),
      settings_(std::move(settings)) {
  const std::int64_t unit = unit_bytes(layout);
  if (unit > 1) {
    unit_type_ = large_type(unit);
    type_ = unit_type_.get();
  }
  int rank = 0;
  require(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  own_count_ = static_cast<int>(layout.bytes(rank) / unit);
  for (int block = 0; block < layout.blocks(); ++block) {
    counts_.push_back(static_cast<int>(layout.bytes(block) / unit));
    offsets_.push_back(static_cast<int>(layout.offset(block) / unit));
  }
}

std::string NativeCall::why_not(const Layout& layout) {
  if (layout.total() / std::max<std::int64_t>(unit_bytes(layout), 1) <= most_plain_bytes) return {};
  return fmt::format("MPI's int cannot count {} bytes of blocks without a large common divisor",
                     layout.total());
}

void NativeCall::run() {
  if (collective_ == Collective::allgather) {
    require(MPI_Allgather(send_, own_count_, type_, receive_, counts_[0], type_, comm_),
            "MPI_Allgather");
  } else {
    require(MPI_Allgatherv(send_, own_count_, type_, receive_, counts_.data(), offsets_.data(),
                           type_, comm_),
            "MPI_Allgatherv");
  }
}

}  // namespace gatherbench
