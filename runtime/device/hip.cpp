// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <new>
#include <string>

#include "runtime/device/device.h"
#include "runtime/device/function_in.h"

// AMD's HIP, of ROCm 5 and 6. Its types are spelled out, since its headers are not on machines
// without a toolkit.
namespace gatherbench::device {
namespace {

using Result = int;
using Stream = void*;

constexpr Result success = 0;
constexpr Result out_of_memory = 2;
constexpr Stream in_order = nullptr;  // the default stream
constexpr unsigned for_all = 1;       // streams, of managed memory
constexpr unsigned no_flags = 0;
constexpr int by_addresses = 4;  // of kinds of copies: the driver finds out
constexpr int most_characters = 256;

/// Throws DeviceError.
void require(void* library, std::string_view call, Result result) {
  if (result == success) return;
  const char* (*error_name)(Result) = nullptr;
  take(library, "hipGetErrorName", error_name);
  const char* const name = error_name(result);
  throw DeviceError(call, name == nullptr ? "error " + std::to_string(result) : name);
}

class HipDevice final : public Device {
 public:
  HipDevice(void* library, int number, bool managed)
      : library_(library), number_(number), managed_(managed) {
    take(library, "hipMalloc", allocate_);
    take(library, "hipMallocManaged", allocate_managed_);
    take(library, "hipFree", free_);
    take(library, "hipHostMalloc", allocate_host_);
    take(library, "hipHostFree", free_host_);
    take(library, "hipMemcpyAsync", copy_);
    take(library, "hipMemcpy2DAsync", copy_rows_);
    take(library, "hipMemsetAsync", fill_);
    take(library, "hipMemset2DAsync", fill_rows_);
    take(library, "hipStreamSynchronize", wait_);
    Result (*set)(int) = nullptr;
    take(library, "hipSetDevice", set);
    require(library, "hipSetDevice", set(number));
  }

  [[nodiscard]] std::string name() const override {
    Result (*get)(char*, int, int) = nullptr;
    take(library_, "hipDeviceGetName", get);
    std::array<char, most_characters> text{};
    require(library_, "hipDeviceGetName", get(text.data(), most_characters, number_));
    return text.data();
  }
  [[nodiscard]] std::string address() const override {
    Result (*get)(char*, int, int) = nullptr;
    take(library_, "hipDeviceGetPCIBusId", get);
    std::array<char, most_characters> text{};
    require(library_, "hipDeviceGetPCIBusId", get(text.data(), most_characters, number_));
    return text.data();
  }
  [[nodiscard]] std::int64_t free_bytes() const override {
    Result (*get)(std::size_t*, std::size_t*) = nullptr;
    take(library_, "hipMemGetInfo", get);
    std::size_t free = 0;
    std::size_t total = 0;
    require(library_, "hipMemGetInfo", get(&free, &total));
    return static_cast<std::int64_t>(free);
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const Result result =
        managed_ ? allocate_managed_(&memory, bytes, for_all) : allocate_(&memory, bytes);
    if (result == out_of_memory) throw std::bad_alloc();
    require(library_, managed_ ? "hipMallocManaged" : "hipMalloc", result);
    return static_cast<std::byte*>(memory);
  }
  void free(std::byte* bytes) noexcept override { free_(bytes); }
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    const Result result = allocate_host_(&memory, bytes, no_flags);
    if (result == out_of_memory) throw std::bad_alloc();
    require(library_, "hipHostMalloc", result);
    return static_cast<std::byte*>(memory);
  }
  void free_pinned(std::byte* bytes) noexcept override { free_host_(bytes); }

  void copy(std::byte* to, const std::byte* from, const Rows& rows) override {
    if (rows.count == 1) {
      require(library_, "hipMemcpyAsync", copy_(to, from, rows.bytes, by_addresses, in_order));
      return;
    }
    require(library_, "hipMemcpy2DAsync",
            copy_rows_(to, rows.to_step, from, rows.from_step, rows.bytes, rows.count, by_addresses,
                       in_order));
  }
  void fill(std::byte* to, std::byte value, const Rows& rows) override {
    const int byte = std::to_integer<int>(value);
    if (rows.count == 1) {
      require(library_, "hipMemsetAsync", fill_(to, byte, rows.bytes, in_order));
      return;
    }
    require(library_, "hipMemset2DAsync",
            fill_rows_(to, rows.to_step, byte, rows.bytes, rows.count, in_order));
  }
  void wait() override { require(library_, "hipStreamSynchronize", wait_(in_order)); }

 private:
  void* library_;
  int number_;
  bool managed_;
  Result (*allocate_)(void**, std::size_t) = nullptr;
  Result (*allocate_managed_)(void**, std::size_t, unsigned) = nullptr;
  Result (*free_)(void*) = nullptr;
  Result (*allocate_host_)(void**, std::size_t, unsigned) = nullptr;
  Result (*free_host_)(void*) = nullptr;
  Result (*copy_)(void*, const void*, std::size_t, int, Stream) = nullptr;
  Result (*copy_rows_)(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int,
                       Stream) = nullptr;
  Result (*fill_)(void*, int, std::size_t, Stream) = nullptr;
  Result (*fill_rows_)(void*, std::size_t, int, std::size_t, std::size_t, Stream) = nullptr;
  Result (*wait_)(Stream) = nullptr;
};

/// A number is MAJOR * 10,000,000 + MINOR * 100,000 + PATCH.
constexpr int of_major = 10'000'000;
constexpr int of_minor = 100'000;

std::string version(void* library) {
  Result (*get)(int*) = nullptr;
  take(library, "hipDriverGetVersion", get);
  int number = 0;
  require(library, "hipDriverGetVersion", get(&number));
  return "HIP " + std::to_string(number / of_major) + "." +
         std::to_string(number % of_major / of_minor);
}

int devices(void* library) {
  Result (*count)(int*) = nullptr;
  take(library, "hipGetDeviceCount", count);
  int number = 0;
  require(library, "hipGetDeviceCount", count(&number));
  return number;
}

std::unique_ptr<Device> open(void* library, int number, bool managed) {
  return std::make_unique<HipDevice>(library, number, managed);
}

/// hipPointerAttribute_t
struct Attributes {
  int kind = 0;
  int device = 0;
  void* device_address = nullptr;
  void* host_address = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
};

/// Returns the number that memory of a device has among kinds of memory, which HIP 6 changed to
/// CUDA's.
int kind_of_device(void* library) {
  Result (*get)(int*) = nullptr;
  take(library, "hipDriverGetVersion", get);
  int number = 0;
  return get(&number) == success && number / of_major < 6 ? 1 : 2;
}

/// Asks, and leaves the thread's last error as it is: older versions call an address that they do
/// not know an error, and a program that looks at its last error would see that.
Attributes attributes_of(void* library, const void* address) {
  Result (*get)(Attributes*, const void*) = nullptr;
  Result (*peek)() = nullptr;
  Result (*forget)() = nullptr;
  take(library, "hipPointerGetAttributes", get);
  take(library, "hipPeekAtLastError", peek);
  take(library, "hipGetLastError", forget);
  const bool was_well = peek() == success;
  Attributes found;
  if (get(&found, address) == success) return found;
  if (was_well) forget();
  return {};
}

bool holds(void* library, const void* address) {
  try {
    static const int of_device = kind_of_device(library);
    const Attributes found = attributes_of(library, address);
    return found.device_address != nullptr && found.kind == of_device && found.is_managed == 0;
  } catch (const DeviceError&) {  // a driver without these functions
    return false;
  }
}

void copy(void* library, std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr unsigned non_blocking = 1;
  Result (*make)(Stream*, unsigned) = nullptr;
  Result (*begin)(void*, const void*, std::size_t, int, Stream) = nullptr;
  Result (*wait)(Stream) = nullptr;
  Result (*destroy)(Stream) = nullptr;
  take(library, "hipStreamCreateWithFlags", make);
  take(library, "hipMemcpyAsync", begin);
  take(library, "hipStreamSynchronize", wait);
  take(library, "hipStreamDestroy", destroy);
  Stream stream = nullptr;
  require(library, "hipStreamCreateWithFlags", make(&stream, non_blocking));
  Result result = begin(to, from, bytes, by_addresses, stream);
  if (result == success) result = wait(stream);
  destroy(stream);
  require(library, "hipMemcpyAsync", result);
}

constexpr std::array libraries{"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

}  // namespace

const Driver hip{"AMD's HIP", "rocm", libraries, devices, version, open, holds, copy};

}  // namespace gatherbench::device
