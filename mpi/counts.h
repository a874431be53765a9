// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/handles.h"
#include "mpi/layout.h"

namespace gatherbench::mpi {

/// A layout in the int counts of MPI's collectives: of bytes, or, where int cannot count these, of
/// what all blocks are multiples of.
class IntCounts {
 public:
  explicit IntCounts(const Layout& layout);

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int of(int block) const { return counts_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] int total() const { return total_; }
  [[nodiscard]] const int* counts() const { return counts_.data(); }
  [[nodiscard]] const int* offsets() const { return offsets_.data(); }

  /// Empty if the layout can be said in int counts, else why not.
  static std::string why_not(const Layout& layout);

 private:
  Datatype unit_type_;
  MPI_Datatype type_ = MPI_CHAR;
  std::vector<int> counts_;
  std::vector<int> offsets_;
  int total_ = 0;
};

}  // namespace gatherbench::mpi
