// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "runtime/device/device.h"

namespace gatherbench::mpi {

/// Returns why addresses in a device of this driver may not be given to the MPI library; empty: it
/// says that it takes them. It is asked by `mpi_memory_alloc_kinds` (MPI 4.1), and by the functions
/// that libraries had before: MPIX_Query_cuda_support and MPIX_Query_rocm_support (Open MPI),
/// MPIX_GPU_query_support (MPICH and its kin). With MPI initialised. Throws MpiError.
std::string why_no_device_pointers(const device::Driver& driver);

}  // namespace gatherbench::mpi
