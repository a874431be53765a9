// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace gatherbench::bench {

/// Everybody's text, by rank, on rank 0; elsewhere nothing. Collective.
std::vector<std::string> gather_texts(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
