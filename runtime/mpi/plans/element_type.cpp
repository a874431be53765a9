// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/plans/element_type.h"

namespace gatherbench::mpi {
namespace {

MPI_Datatype basic_type(Element::Of of) {
  switch (of) {
    case Element::Of::ints:
      return MPI_INT;
    case Element::Of::floats:
      return MPI_FLOAT;
    case Element::Of::doubles:
      return MPI_DOUBLE;
    default:
      return MPI_CHAR;
  }
}

/// Makes a type of so much data, then what is nobody's up to the next element.
Datatype make_gapped_type(const Element& element, MPI_Datatype unit, std::int64_t unit_bytes) {
  MPI_Datatype data = MPI_DATATYPE_NULL;
  require(MPI_Type_vector(1, static_cast<int>(element.bytes / unit_bytes), 1, unit, &data),
          "MPI_Type_vector");
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  const int code =
      MPI_Type_create_resized(data, 0, static_cast<MPI_Aint>(element.extent), &resized);
  MPI_Type_free(&data);
  require(code, "MPI_Type_create_resized");
  require(MPI_Type_commit(&resized), "MPI_Type_commit");
  return Datatype(resized);
}

}  // namespace

ElementType::ElementType(const Element& element)
    : element_(element), unit_(basic_type(element.of)), whole_(unit_) {
  if (element.of != Element::Of::bytes) unit_bytes_ = element.bytes;
  if (element.bytes == unit_bytes_ && !element.has_gaps()) return;
  derived_ = make_gapped_type(element, unit_, unit_bytes_);
  whole_ = derived_.get();
}

}  // namespace gatherbench::mpi
