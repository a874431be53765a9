// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/byte_types.h"

#include <algorithm>
#include <vector>

namespace gatherbench::mpi {
namespace {

Datatype commit(MPI_Datatype type) {
  require(MPI_Type_commit(&type), "MPI_Type_commit");
  return Datatype(type);
}

}  // namespace

Datatype make_large_type(std::int64_t bytes, const ElementType& element) {
  return make_pieces_type({{{Area::receive, 0, bytes}}}, element);
}

Datatype make_pieces_type(std::span<const Piece> pieces, const ElementType& element) {
  // A run that passes int goes as several neighbouring ones.
  constexpr std::int64_t chunk = std::int64_t{1} << 30;
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> types;
  for (const Piece& piece : pieces) {
    const std::int64_t count = piece.bytes / element.bytes(piece.area);
    const std::int64_t part = count <= max_plain_bytes ? count : chunk;
    for (std::int64_t done = 0; done < count; done += part) {
      lengths.push_back(static_cast<int>(std::min(part, count - done)));
      offsets.push_back(static_cast<MPI_Aint>(piece.offset + done * element.extent(piece.area)));
      types.push_back(element.type(piece.area));
    }
  }
  const auto blocks = static_cast<int>(lengths.size());
  const MPI_Datatype first = types.empty() ? MPI_CHAR : types.front();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (std::ranges::count(types, first) == std::ssize(types)) {
    require(MPI_Type_create_hindexed(blocks, lengths.data(), offsets.data(), first, &type),
            "MPI_Type_create_hindexed");
  } else {
    require(MPI_Type_create_struct(blocks, lengths.data(), offsets.data(), types.data(), &type),
            "MPI_Type_create_struct");
  }
  return commit(type);
}

}  // namespace gatherbench::mpi
