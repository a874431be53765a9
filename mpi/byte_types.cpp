// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/byte_types.h"

#include <algorithm>
#include <vector>

namespace gatherbench::mpi {
namespace {

Datatype commit(MPI_Datatype type) {
  require(MPI_Type_commit(&type), "MPI_Type_commit");
  return Datatype(type);
}

}  // namespace

Datatype large_type(std::int64_t bytes) { return pieces_type({{{Area::receive, 0, bytes}}}); }

Datatype pieces_type(std::span<const Piece> pieces) {
  // A run that passes int goes as several neighbouring ones.
  constexpr std::int64_t chunk = std::int64_t{1} << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (const Piece& piece : pieces) {
    const std::int64_t part = piece.bytes <= most_plain_bytes ? piece.bytes : chunk;
    for (std::int64_t done = 0; done < piece.bytes; done += part) {
      lengths.push_back(static_cast<int>(std::min(part, piece.bytes - done)));
      offsets.push_back(static_cast<MPI_Aint>(piece.offset + done));
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  require(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(),
                                   MPI_CHAR, &type),
          "MPI_Type_create_hindexed");
  return commit(type);
}

}  // namespace gatherbench::mpi
