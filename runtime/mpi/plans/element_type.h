// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element.h"
#include "runtime/mpi/plans/lowering.h"

namespace gatherbench::mpi {

/// An element as MPI datatypes: the one in the user's buffers, and the one in buffers of our own,
/// where data lie without gaps. Both ends of a message see the same basic types, whichever buffers
/// it is between.
class ElementType {
 public:
  /// Throws MpiError.
  explicit ElementType(const Element& element = {});

  [[nodiscard]] const Element& element() const { return element_; }
  [[nodiscard]] MPI_Datatype type(Area area) const { return is_users(area) ? whole_ : unit_; }
  /// Returns the bytes of data in one of type(area); extent(area) returns its extent in memory.
  [[nodiscard]] std::int64_t bytes(Area area) const {
    return is_users(area) ? element_.bytes : unit_bytes_;
  }
  [[nodiscard]] std::int64_t extent(Area area) const {
    return is_users(area) ? element_.extent : unit_bytes_;
  }
  /// Returns where a byte of data lies in the area's memory.
  [[nodiscard]] std::int64_t in_memory(Area area, std::int64_t offset) const {
    return is_users(area) ? element_.in_memory(offset) : offset;
  }
  static bool is_users(Area area) { return area == Area::send || area == Area::receive; }

 private:
  Element element_;
  MPI_Datatype unit_ = MPI_CHAR;
  std::int64_t unit_bytes_ = 1;
  Datatype derived_;  // with gaps
  MPI_Datatype whole_ = MPI_CHAR;
};

}  // namespace gatherbench::mpi
