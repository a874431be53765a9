// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

// What messages between ranks of one host share.
namespace gatherbench::cost {

/// Bytes of messages a second, more than 0. A rank's messages to others of its host share what it
/// alone copies; the messages of all ranks of a host share its memory.
struct HostMemory {
  double copy_bandwidth;
  double memory_bandwidth;
};

/// Of the parameters of a model, "copy_bandwidth=BYTES_A_SECOND,memory_bandwidth=...", and
/// the others, as they were. None if neither is given. Throws InputError that names `option` if
/// only one is.
struct ParametersWithMemory {
  std::string others;
  std::optional<HostMemory> memory = {};
};
ParametersWithMemory split_host_memory(std::string_view option, std::string_view parameters);

/// "copy_bandwidth=3e+09,memory_bandwidth=1.2e+10"
std::string text_of(const HostMemory& memory);

}  // namespace gatherbench::cost
