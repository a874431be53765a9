// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace gatherbench::mpi {

/// What an attempt to go on without waiting came to.
enum class Advance {
  idle,   ///< nothing has happened since the last one
  moved,  ///< something has
  done,   ///< there is no more to do
};

}  // namespace gatherbench::mpi
