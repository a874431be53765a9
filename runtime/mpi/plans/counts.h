// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element_type.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::mpi {

/// A layout in the int counts of MPI's collectives: of its elements, or, where int cannot count
/// these, of what all blocks are multiples of.
class IntCounts {
 public:
  explicit IntCounts(const Layout& layout);

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int of(int block) const { return counts_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] const int* counts() const { return counts_.data(); }
  [[nodiscard]] const int* offsets() const { return offsets_.data(); }
  /// Returns how many elements of all_type() make up all blocks of a buffer.
  [[nodiscard]] int all_count() const { return all_count_; }
  [[nodiscard]] MPI_Datatype all_type() const { return all_type_; }

  /// Returns why the layout cannot be said in int counts; none if it can.
  static std::optional<std::string> why_not(const Layout& layout);

 private:
  ElementType element_;
  Datatype unit_type_;
  MPI_Datatype type_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  Datatype pieces_type_;  // of all blocks, where they do not lie together
  MPI_Datatype all_type_ = MPI_CHAR;
  int all_count_ = 0;
};

}  // namespace gatherbench::mpi
