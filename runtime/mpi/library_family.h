// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

// MPI libraries of one family understand each other's handles. With a library of another family,
// the first call that is given one of our handles would end the program by a segmentation fault.
namespace gatherbench::mpi {

/// Returns the family of the header that this was compiled with: "Open MPI", "MPICH", or "the
/// standard ABI", which libraries of each family may have beside their own. Empty: the header is of
/// none of these.
[[nodiscard]] std::string_view family_of_header();

/// Returns the name of the library that this process runs on, if it is of another family; else an
/// empty text. No handle is used, so it may be called at any time.
[[nodiscard]] std::string_view library_of_another_family();

}  // namespace gatherbench::mpi
