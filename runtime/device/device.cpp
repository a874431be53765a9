// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device/device.h"

#include <dlfcn.h>

#include <string>

namespace gatherbench::device {
namespace {

std::unique_ptr<Device>& opened() {
  // Nothing of a driver may be called while the process ends, so this is never destroyed.
  static auto& device = *new std::unique_ptr<Device>();
  return device;
}

}  // namespace

DeviceError::DeviceError(std::string_view call, std::string_view error)
    : std::runtime_error(std::string(call).append(": ").append(error)) {}

void* library_of(const Driver& driver) {
  for (const char* const name : driver.libraries) {
    // It is never closed: a driver that is unloaded takes its threads' code away.
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

void Current::open(const Driver& driver, int number, bool managed) {
  opened() = driver.open(library_of(driver), number, managed);
}

Device& Current::device() { return *opened(); }

}  // namespace gatherbench::device
