// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <new>
#include <string>

#include "runtime/device/device.h"
#include "runtime/device/function_in.h"

// NVIDIA's driver API, of CUDA 8 and newer. Its types are spelled out, since its headers are not on
// machines without a toolkit.
namespace gatherbench::device {
namespace {

using Result = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = void*;
using Stream = void*;

constexpr Result success = 0;
constexpr Result out_of_memory = 2;
constexpr Stream in_order = nullptr;         // the default stream
constexpr unsigned for_all = 1;              // streams, of managed memory; contexts, of pinned
constexpr unsigned type_of_the_address = 4;  // the driver finds out
constexpr int most_characters = 256;

/// CUDA_MEMCPY2D
struct Copy2d {
  struct Side {
    std::size_t x = 0;
    std::size_t y = 0;
    unsigned type = type_of_the_address;
    const void* host = nullptr;
    Address device = 0;
    void* array = nullptr;
    std::size_t pitch = 0;
  };
  Side from;
  Side to;
  std::size_t width = 0;
  std::size_t height = 0;
};

Address address_of(const std::byte* bytes) { return reinterpret_cast<Address>(bytes); }

/// Throws DeviceError.
void require(void* library, std::string_view call, Result result) {
  if (result == success) return;
  Result (*error_name)(Result, const char**) = nullptr;
  take(library, "cuGetErrorName", error_name);
  const char* name = nullptr;
  error_name(result, &name);
  throw DeviceError(call, name == nullptr ? "error " + std::to_string(result) : name);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(void* library, int number, bool managed)
      : library_(library), number_(number), managed_(managed) {
    take(library, "cuCtxSetCurrent", set_current_);
    take(library, "cuMemAlloc_v2", allocate_);
    take(library, "cuMemAllocManaged", allocate_managed_);
    take(library, "cuMemFree_v2", free_);
    take(library, "cuMemHostAlloc", allocate_host_);
    take(library, "cuMemFreeHost", free_host_);
    take(library, "cuMemcpyAsync", copy_);
    take(library, "cuMemcpy2DAsync_v2", copy_rows_);
    take(library, "cuMemsetD8Async", fill_);
    take(library, "cuMemsetD2D8Async", fill_rows_);
    take(library, "cuStreamSynchronize", wait_);
    Result (*retain)(Context*, int) = nullptr;
    take(library, "cuDevicePrimaryCtxRetain", retain);
    require(library, "cuDevicePrimaryCtxRetain", retain(&context_, number));
    require(library, "cuCtxSetCurrent", set_current_(context_));
  }

  [[nodiscard]] std::string name() const override {
    Result (*get)(char*, int, int) = nullptr;
    take(library_, "cuDeviceGetName", get);
    std::array<char, most_characters> text{};
    require(library_, "cuDeviceGetName", get(text.data(), most_characters, number_));
    return text.data();
  }
  [[nodiscard]] std::string address() const override {
    Result (*get)(char*, int, int) = nullptr;
    take(library_, "cuDeviceGetPCIBusId", get);
    std::array<char, most_characters> text{};
    require(library_, "cuDeviceGetPCIBusId", get(text.data(), most_characters, number_));
    return text.data();
  }
  [[nodiscard]] std::int64_t free_bytes() const override {
    Result (*get)(std::size_t*, std::size_t*) = nullptr;
    take(library_, "cuMemGetInfo_v2", get);
    std::size_t free = 0;
    std::size_t total = 0;
    require(library_, "cuMemGetInfo", get(&free, &total));
    return static_cast<std::int64_t>(free);
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes) override {
    Address address = 0;
    const Result result =
        managed_ ? allocate_managed_(&address, bytes, for_all) : allocate_(&address, bytes);
    if (result == out_of_memory) throw std::bad_alloc();
    require(library_, managed_ ? "cuMemAllocManaged" : "cuMemAlloc", result);
    return std::bit_cast<std::byte*>(address);
  }
  void free(std::byte* bytes) noexcept override { free_(address_of(bytes)); }
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    const Result result = allocate_host_(&memory, bytes, for_all);
    if (result == out_of_memory) throw std::bad_alloc();
    require(library_, "cuMemHostAlloc", result);
    return static_cast<std::byte*>(memory);
  }
  void free_pinned(std::byte* bytes) noexcept override { free_host_(bytes); }

  void copy(std::byte* to, const std::byte* from, const Rows& rows) override {
    if (rows.count == 1) {
      require(library_, "cuMemcpyAsync",
              copy_(address_of(to), address_of(from), rows.bytes, in_order));
      return;
    }
    Copy2d copy;
    copy.width = rows.bytes;
    copy.height = rows.count;
    copy.from.device = address_of(from);
    copy.from.pitch = rows.from_step;
    copy.to.device = address_of(to);
    copy.to.pitch = rows.to_step;
    require(library_, "cuMemcpy2DAsync", copy_rows_(&copy, in_order));
  }
  void fill(std::byte* to, std::byte value, const Rows& rows) override {
    const auto byte = std::to_integer<unsigned char>(value);
    if (rows.count == 1) {
      require(library_, "cuMemsetD8Async", fill_(address_of(to), byte, rows.bytes, in_order));
      return;
    }
    require(library_, "cuMemsetD2D8Async",
            fill_rows_(address_of(to), rows.to_step, byte, rows.bytes, rows.count, in_order));
  }
  void wait() override { require(library_, "cuStreamSynchronize", wait_(in_order)); }

 private:
  void* library_;
  int number_;
  bool managed_;
  Context context_ = nullptr;
  Result (*set_current_)(Context) = nullptr;
  Result (*allocate_)(Address*, std::size_t) = nullptr;
  Result (*allocate_managed_)(Address*, std::size_t, unsigned) = nullptr;
  Result (*free_)(Address) = nullptr;
  Result (*allocate_host_)(void**, std::size_t, unsigned) = nullptr;
  Result (*free_host_)(void*) = nullptr;
  Result (*copy_)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*copy_rows_)(const Copy2d*, Stream) = nullptr;
  Result (*fill_)(Address, unsigned char, std::size_t, Stream) = nullptr;
  Result (*fill_rows_)(Address, std::size_t, unsigned char, std::size_t, std::size_t,
                       Stream) = nullptr;
  Result (*wait_)(Stream) = nullptr;
};

/// Makes the driver ready, which every other call needs. Throws DeviceError, where it has no device
/// for example.
void initialise(void* library) {
  Result (*begin)(unsigned) = nullptr;
  take(library, "cuInit", begin);
  require(library, "cuInit", begin(0));
}

std::string version(void* library) {
  constexpr int thousands = 1000;
  constexpr int tens = 10;
  Result (*get)(int*) = nullptr;
  take(library, "cuDriverGetVersion", get);
  int number = 0;
  require(library, "cuDriverGetVersion", get(&number));
  return "CUDA " + std::to_string(number / thousands) + "." +
         std::to_string(number % thousands / tens);
}

int devices(void* library) {
  initialise(library);
  Result (*count)(int*) = nullptr;
  take(library, "cuDeviceGetCount", count);
  int number = 0;
  require(library, "cuDeviceGetCount", count(&number));
  return number;
}

std::unique_ptr<Device> open(void* library, int number, bool managed) {
  initialise(library);
  return std::make_unique<CudaDevice>(library, number, managed);
}

using GetAttribute = Result(void*, int attribute, Address);

constexpr int context_of = 1;  // of attributes of an address
constexpr int kind_of = 2;
constexpr int is_managed = 8;
constexpr unsigned of_device = 2;     // of kinds of memory
constexpr unsigned non_blocking = 1;  // of streams: not in order with the program's

bool holds(void* library, const void* address) {
  static auto* const get = reinterpret_cast<GetAttribute*>(dlsym(library, "cuPointerGetAttribute"));
  const auto place = reinterpret_cast<Address>(address);
  unsigned kind = 0;
  if (get == nullptr || get(&kind, kind_of, place) != success || kind != of_device) return false;
  unsigned managed = 0;
  return get(&managed, is_managed, place) != success || managed == 0;
}

/// Takes the context that the memory was allocated in for this thread, which may have another one
/// or none. There is none of memory from a pool: then the thread's own has to do.
class ContextOf {
 public:
  ContextOf(void* library, const std::byte* memory) {
    GetAttribute* get = nullptr;
    Result (*push)(Context) = nullptr;
    take(library, "cuPointerGetAttribute", get);
    take(library, "cuCtxPushCurrent_v2", push);
    take(library, "cuCtxPopCurrent_v2", pop_);
    Context context = nullptr;
    is_pushed_ = get(static_cast<void*>(&context), context_of, address_of(memory)) == success &&
                 context != nullptr;
    if (is_pushed_) require(library, "cuCtxPushCurrent", push(context));
  }
  ~ContextOf() {
    Context context = nullptr;
    if (is_pushed_) pop_(&context);
  }
  ContextOf(const ContextOf&) = delete;
  ContextOf& operator=(const ContextOf&) = delete;

 private:
  Result (*pop_)(Context*) = nullptr;
  bool is_pushed_ = false;
};

void copy(void* library, std::byte* to, const std::byte* from, std::size_t bytes) {
  Result (*make)(Stream*, unsigned) = nullptr;
  Result (*begin)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*wait)(Stream) = nullptr;
  Result (*destroy)(Stream) = nullptr;
  take(library, "cuStreamCreate", make);
  take(library, "cuMemcpyAsync", begin);
  take(library, "cuStreamSynchronize", wait);
  take(library, "cuStreamDestroy_v2", destroy);
  const ContextOf context(library, holds(library, from) ? from : to);
  Stream stream = nullptr;
  require(library, "cuStreamCreate", make(&stream, non_blocking));
  Result result = begin(address_of(to), address_of(from), bytes, stream);
  if (result == success) result = wait(stream);
  destroy(stream);
  require(library, "cuMemcpyAsync", result);
}

constexpr std::array libraries{"libcuda.so.1"};

}  // namespace

const Driver cuda{"NVIDIA's driver", "cuda", libraries, devices, version, open, holds, copy};

}  // namespace gatherbench::device
