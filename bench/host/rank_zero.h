// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace gatherbench::bench {

/// Runs `work` on rank 0 alone and gives its text to all ranks. An InputError of it is thrown on
/// every rank, so that all leave together. Collective.
std::string on_rank_zero(MPI_Comm comm, const std::function<std::string()>& work);

}  // namespace gatherbench::bench
