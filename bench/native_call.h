// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/collective.h"
#include "bench/layout.h"
#include "bench/mpi_handles.h"

// The MPI library's own all-gather: as it chooses, and by one of its algorithms ("native:NAME").
namespace gatherbench {

/// MPI_Allgather or MPI_Allgatherv with its arguments. The buffers, the communicator and the layout
/// must outlive it.
class NativeCall {
 public:
  /// `send` is null for MPI_IN_PLACE. All blocks have one size if the collective is allgather.
  NativeCall(Collective collective, const Layout& layout, const std::byte* send, std::byte* receive,
             MPI_Comm comm);
  /// Throws MpiError.
  void run();

  /// Empty if the layout can be said in MPI's int counts, else why not.
  static std::string why_not(const Layout& layout);

 private:
  Collective collective_;
  const void* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  Datatype unit_type_;
  MPI_Datatype type_ = MPI_CHAR;
  int own_count_ = 0;
  std::vector<int> counts_;
  std::vector<int> offsets_;
};

/// Makes the library's algorithms choosable. Call before MPI_Init, if "native:NAME" was asked for.
void prepare_native_variants();

/// The names of the library's own algorithms that can be chosen in this process; empty if none can.
std::vector<std::string> native_variants(Collective collective);

/// Empty if the variant can run with this many ranks without ending the job, else why not.
std::string why_not_native_variant(std::string_view variant, int ranks);

/// A copy of the communicator on which the library uses this algorithm; empty: its own choice.
/// The variant is one of native_variants(). Collective.
Communicator native_communicator(Collective collective, std::string_view variant, MPI_Comm comm);

}  // namespace gatherbench
