// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

// MPI libraries of one family understand each other's handles, those of two do not: the first call
// with one of ours would end the program by a segmentation fault.
namespace gatherbench::mpi {

/// Whose header this was compiled with: "Open MPI", "MPICH", "the standard ABI", which libraries of
/// each family may have beside their own; empty: of none of these.
[[nodiscard]] std::string_view family_of_header();

/// The name of what this process runs on, if it is of another family; else empty. No handle is
/// used, so it may be called at any time.
[[nodiscard]] std::string_view library_of_another_family();

}  // namespace gatherbench::mpi
