// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include "runtime/device/device.h"

namespace gatherbench::device {

/// Takes a function of a driver's library. Throws DeviceError if it has none of that name.
template <typename Function>
void take(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw DeviceError(name, "the driver has no such function");
}

}  // namespace gatherbench::device
