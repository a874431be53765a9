// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/device/loaded_drivers.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "runtime/device/device.h"

namespace gatherbench::device {
namespace {

constexpr std::array known_drivers{&cuda, &hip};
constexpr std::array unknown_drivers{"libze_loader.so.1"};

/// Holds what the last look found. A driver may be loaded at any time, and stays loaded once it is
/// held here.
struct Found {
  std::atomic<unsigned long long> loads = 0;  // of libraries, when it looked
  std::array<std::atomic<void*>, known_drivers.size()> libraries{};
  std::atomic<bool> is_unknown = false;
};

constinit Found found;

/// Returns how many libraries the process has loaded so far.
unsigned long long count_loads() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* to) {
        *static_cast<unsigned long long*>(to) = info->dlpi_adds;
        return 1;  // the first library tells it, too
      },
      &loads);
  return loads;
}

/// Returns the first of the libraries that the process has loaded; null: it has none.
void* find_loaded(std::span<const char* const> names) {
  for (const char* const name : names) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  return nullptr;
}

void look() {
  const unsigned long long loads = count_loads();
  if (loads == found.loads.load(std::memory_order_acquire)) return;
  for (std::size_t i = 0; i < known_drivers.size(); ++i) {
    if (found.libraries[i] == nullptr) {
      found.libraries[i] = find_loaded(known_drivers[i]->libraries);
    }
  }
  if (!found.is_unknown) found.is_unknown = find_loaded(unknown_drivers) != nullptr;
  found.loads.store(loads, std::memory_order_release);
}

/// Returns the number of the driver whose device has the memory; that of all: none has.
std::size_t driver_of(const void* address) {
  std::size_t i = 0;
  for (; i < known_drivers.size(); ++i) {
    void* const library = found.libraries[i].load(std::memory_order_relaxed);
    if (library != nullptr && known_drivers[i]->holds(library, address)) break;
  }
  return i;
}

}  // namespace

bool is_driver_loaded() {
  look();
  return std::ranges::any_of(found.libraries,
                             [](const auto& library) { return library != nullptr; });
}

bool is_of_device(const void* address) { return driver_of(address) < known_drivers.size(); }

void copy_of_device(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::size_t driver = driver_of(from);
  if (driver == known_drivers.size()) driver = driver_of(to);
  if (driver == known_drivers.size()) {
    throw DeviceError("copy", "no driver knows the memory any more");
  }
  known_drivers[driver]->copy(found.libraries[driver], to, from, bytes);
}

bool is_unknown_driver_loaded() {
  look();
  return found.is_unknown;
}

}  // namespace gatherbench::device
