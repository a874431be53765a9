// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "formats/metadata.h"

// These functions find out which parts of the MPI library move the bytes, as far as it tells.
namespace gatherbench::bench {

/// Returns the keys `transport` ("ob1 over tcp, vader", "ch4:ofi") and `collective_components`,
/// from what the library says of itself and the categories of its control variables. A library that
/// is not known has neither.
formats::Metadata find_components(std::string_view library_version,
                                  std::span<const std::string> categories);

/// Returns these keys for the library at hand. MPI has to be initialised. Throws mpi::MpiError.
formats::Metadata describe_components();

}  // namespace gatherbench::bench
