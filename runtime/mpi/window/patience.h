// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace gatherbench::mpi {

/// The turns that a rank takes between two looks at the copies that it waits for. At first it only
/// looks. Then the MPI library and the other ranks of its processor have a turn each. A look
/// follows on each of these turns, because a library may give the processor away, too (Open MPI
/// does, with more ranks than cores): two turns in a row were two changes of ranks for one look,
/// and calls with 4 ranks on 2 cores took up to 1.7 times as long.
class Patience {
 public:
  enum class Turn { none, library, others };
  /// Looks at one transfer before the first turn, about 5 ns each. Measured with 2, 4 and 8 ranks
  /// on 2 cores: 200 looks cost up to 1.4 times the time with 4 and 8 ranks, and fewer than 50 gain
  /// 5 % there; with 2 ranks, 10 to 800 are the same.
  static constexpr std::size_t looks = 50;

  /// Returns the turn after a look at so many transfers, which found something to do (`moved`) or
  /// nothing.
  [[nodiscard]] Turn next(bool moved, std::size_t transfers) {
    idle_ = moved ? 0 : idle_ + transfers;
    if (idle_ < looks) return Turn::none;
    library_ = !library_;
    return library_ ? Turn::library : Turn::others;
  }

 private:
  std::size_t idle_ = 0;
  bool library_ = false;
};

}  // namespace gatherbench::mpi
