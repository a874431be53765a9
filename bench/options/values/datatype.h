// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "runtime/mpi/plans/element.h"

// --datatype: of the send and the receive buffer.
namespace gatherbench::bench {

struct BufferType {
  std::string text = "byte";  ///< as the option takes it, bytes as plain numbers
  std::string_view mpi_name = "MPI_CHAR";
  mpi::Element element = {};
};

/// The forms of the option, for --help and messages.
inline constexpr std::array<std::string_view, 5> datatype_forms{"byte", "int", "float", "double",
                                                                "vector:BLOCK:STRIDE"};

/// Reads one of these forms, BLOCK and STRIDE as --sizes takes bytes, or a plain type's name in
/// MPI, in lower case too, as the OSU benchmarks have it. Throws InputError.
BufferType parse_datatype(std::string_view option, const std::string& text);

}  // namespace gatherbench::bench
