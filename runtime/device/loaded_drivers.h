// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

// These functions ask the drivers that a program has loaded itself where its buffers lie. They load
// and initialise no driver.
namespace gatherbench::device {

/// Returns whether the program has loaded a driver so far, which it may do at any time. Where it
/// has loaded no library since this was called last, that is one look at how many it loaded.
[[nodiscard]] bool is_driver_loaded();

/// Returns whether a driver says that no processor may touch the memory. `is_driver_loaded` was
/// called after the memory came to be.
[[nodiscard]] bool is_of_device(const void* address);

/// Copies between memory of a device and any other; it is done on return. Throws DeviceError.
void copy_of_device(std::byte* to, const std::byte* from, std::size_t bytes);

/// Returns whether a driver is loaded that is not asked where memory is: Level Zero's.
[[nodiscard]] bool is_unknown_driver_loaded();

}  // namespace gatherbench::device
