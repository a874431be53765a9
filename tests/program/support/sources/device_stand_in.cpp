// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for the driver of a graphics processor: a library under the names libcuda.so.1 and
// libamdhip64.so.6. What it allocates as memory of a device no processor may touch: its pages give
// no access, and only the functions here know the second mapping of them. Copies are done when
// somebody waits for them, and not before, so that one who forgets to wait has wrong bytes.
//
//   STAND_IN_DEVICES   how many devices there are (2)
//   STAND_IN_BYTES     what they say is free of their memory (1 GiB)
//   STAND_IN_HOLDS     how much a device really holds (1 GiB)
//   STAND_IN_FAILS     which copy of a process fails, counted from 1
//   STAND_IN_DROPS     which copy of a process is never done
//   STAND_IN_RANK      in which rank alone that happens
//   STAND_IN_HIP       the major version of HIP (6), which numbers kinds of memory in its own way
//
// Preloaded, it also is an MPI library that takes addresses of a device: calls that move blocks are
// given the addresses of the second mapping, unless STAND_IN_LIES is set.
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int out_of_memory = 2;
constexpr int invalid_context = 201;
constexpr int illegal_address = 700;
constexpr int not_supported = 801;
constexpr std::size_t arena_bytes = std::size_t{8} << 30;
constexpr std::size_t unit = 512;  // where a driver's allocations begin

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

class StandIn {
 public:
  StandIn() {
    const int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, arena_bytes) != 0) std::abort();
    closed_ = map(file, PROT_NONE);
    open_ = map(file, PROT_READ | PROT_WRITE);
    close(file);
  }

  int allocate(void** address, std::size_t bytes, bool managed) {
    if (bytes == 0) return invalid_value;
    if (used_ + bytes > static_cast<std::size_t>(setting("STAND_IN_HOLDS", 1L << 30))) {
      return out_of_memory;
    }
    std::vector<std::byte*>& same = freed_[bytes];
    std::byte* found = nullptr;
    if (same.empty()) {
      if (next_ + bytes > arena_bytes) return out_of_memory;
      found = closed_ + next_;
      next_ += (bytes + 2 * unit - 1) / unit * unit;
    } else {
      found = same.back();
      same.pop_back();
    }
    used_ += bytes;
    alive_[found] = bytes;
    *address = managed ? host_address(found) : found;
    return success;
  }
  int free(void* address) {
    auto* const bytes = static_cast<std::byte*>(address);
    const auto found = alive_.find(in_open(bytes) ? closed_ + (bytes - open_) : bytes);
    if (found == alive_.end()) return invalid_value;
    used_ -= found->second;
    freed_[found->second].push_back(found->first);
    alive_.erase(found);
    return success;
  }
  /// Notes a copy of rows. It fails where it would leave an allocation.
  int copy(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step,
           std::size_t bytes, std::size_t rows) {
    ++copies_;
    if (is_now("STAND_IN_FAILS")) return illegal_address;
    if (is_now("STAND_IN_DROPS")) return success;
    if (rows == 0 || (rows > 1 && (to_step < bytes || from_step < bytes))) return invalid_value;
    if (!holds(to, (rows - 1) * to_step + bytes) || !holds(from, (rows - 1) * from_step + bytes)) {
      return illegal_address;
    }
    later_.emplace_back([=, this] {
      for (std::size_t i = 0; i < rows; ++i) {
        std::memmove(host_address(to) + i * to_step, host_address(from) + i * from_step, bytes);
      }
    });
    return success;
  }
  int fill(std::byte* to, std::size_t step, int value, std::size_t bytes, std::size_t rows) {
    if (rows == 0 || !holds(to, (rows - 1) * step + bytes)) return illegal_address;
    later_.emplace_back([=, this] {
      for (std::size_t i = 0; i < rows; ++i) {
        std::memset(host_address(to) + i * step, value, bytes);
      }
    });
    return success;
  }
  int wait() {
    for (const auto& one : later_) one();
    later_.clear();
    return success;
  }

  /// The allocation that memory of the device is in.
  std::pair<const std::byte*, std::size_t> allocation_of(const std::byte* bytes) const {
    if (in_open(bytes)) bytes = closed_ + (bytes - open_);
    auto after = alive_.upper_bound(const_cast<std::byte*>(bytes));
    --after;
    return {after->first, after->second};
  }

  /// True of memory that the device holds, managed or not.
  bool is_alive(const std::byte* bytes) const {
    return bytes != nullptr && !is_of_host(bytes) && holds(bytes, 1);
  }
  /// True of what the processor may touch by that address: managed memory, too.
  bool is_for_processor(const std::byte* bytes) const {
    return !(closed_ <= bytes && bytes < closed_ + arena_bytes);
  }

  template <typename Address>
  Address* host_address(Address* address) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(address);
    if (!(closed_ <= bytes && bytes < closed_ + arena_bytes)) return address;
    return reinterpret_cast<Address*>(open_ + (bytes - closed_));
  }

 private:
  static std::byte* map(int file, int protection) {
    void* const mapped =
        mmap(nullptr, arena_bytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (mapped == MAP_FAILED) std::abort();
    return static_cast<std::byte*>(mapped);
  }
  bool in_open(const std::byte* bytes) const {
    return open_ <= bytes && bytes < open_ + arena_bytes;
  }
  bool is_of_host(const std::byte* bytes) const {
    return is_for_processor(bytes) && !in_open(bytes);
  }
  /// True of the host's memory.
  bool holds(const std::byte* bytes, std::size_t count) const {
    if (in_open(bytes)) bytes = closed_ + (bytes - open_);
    if (!(closed_ <= bytes && bytes < closed_ + arena_bytes)) return true;
    auto after = alive_.upper_bound(const_cast<std::byte*>(bytes));
    if (after == alive_.begin()) return false;
    --after;
    return bytes + count <= after->first + after->second;
  }
  bool is_now(const char* name) const {
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    const long asked = setting("STAND_IN_RANK", -1);
    if (asked >= 0 && (rank == nullptr || std::atol(rank) != asked)) return false;
    return copies_ == setting(name, 0);
  }

  std::byte* closed_;
  std::byte* open_;
  std::size_t next_ = 0;
  std::size_t used_ = 0;
  long copies_ = 0;
  std::map<std::byte*, std::size_t> alive_;
  std::map<std::size_t, std::vector<std::byte*>> freed_;
  std::vector<std::function<void()>> later_;
};

StandIn& stand_in() {
  static auto& one = *new StandIn();
  return one;
}

int put_text(char* text, int length, const char* said, int number) {
  std::snprintf(text, static_cast<std::size_t>(length), said, number);
  return success;
}

int put_free(std::size_t* free, std::size_t* total) {
  *total = *free = static_cast<std::size_t>(setting("STAND_IN_BYTES", 1L << 30));
  return success;
}

std::byte* bytes_at(unsigned long long address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
  return reinterpret_cast<std::byte*>(address);
}

template <typename Address>
Address* for_mpi(Address* address) {
  return std::getenv("STAND_IN_LIES") == nullptr ? stand_in().host_address(address) : address;
}

/// CUDA_MEMCPY2D
struct Copy2d {
  struct Side {
    std::size_t x, y;
    unsigned type;
    const void* host;
    unsigned long long device;
    void* array;
    std::size_t pitch;
  } from, to;
  std::size_t width, height;
};

/// hipPointerAttribute_t
struct Attributes {
  int kind, device;
  void *device_address, *host_address;
  int is_managed;
  unsigned flags;
};

constexpr const char* device_address = "0000:0%d:00.0";

thread_local std::vector<void*> contexts;  // the last one is current; of CUDA
int last_error = success;                  // of HIP

/// The function of the MPI library that the one of that name here stands before.
template <typename... Arguments>
int next(const char* name, Arguments... arguments) {
  using Function = int(Arguments...);
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

// CUDA's driver

int cuInit(unsigned) { return success; }
int cuDriverGetVersion(int* version) {
  *version = 12040;
  return success;
}
int cuGetErrorName(int code, const char** name) {
  *name = code == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_VALUE";
  return success;
}
int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(setting("STAND_IN_DEVICES", 2));
  return success;
}
int cuDeviceGetName(char* text, int length, int) { return put_text(text, length, "Stand-In", 0); }
int cuDeviceGetPCIBusId(char* text, int length, int device) {
  return put_text(text, length, device_address, device);
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &stand_in();
  return success;
}
int cuCtxSetCurrent(void* context) {
  contexts.assign(1, context);
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  contexts.push_back(context);
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) return invalid_context;
  *context = contexts.back();
  contexts.pop_back();
  return success;
}
int cuPointerGetAttribute(void* data, int attribute, unsigned long long address) {
  const std::byte* const bytes = bytes_at(address);
  if (!stand_in().is_alive(bytes)) return invalid_value;
  if (attribute == 1) *static_cast<void**>(data) = &stand_in();
  if (attribute == 2) *static_cast<unsigned*>(data) = 2;
  if (attribute == 8) *static_cast<unsigned*>(data) = stand_in().is_for_processor(bytes) ? 1 : 0;
  return success;
}
int cuStreamCreate(void** stream, unsigned) {
  *stream = &stand_in();
  return success;
}
int cuStreamDestroy_v2(void*) { return success; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return put_free(free, total); }
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  return stand_in().allocate(reinterpret_cast<void**>(address), bytes, false);
}
int cuMemAllocManaged(unsigned long long* address, std::size_t bytes, unsigned) {
  return stand_in().allocate(reinterpret_cast<void**>(address), bytes, true);
}
int cuMemFree_v2(unsigned long long address) { return stand_in().free(bytes_at(address)); }
int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *address == nullptr ? out_of_memory : success;
}
int cuMemFreeHost(void* address) {
  std::free(address);
  return success;
}
int cuMemcpyAsync(unsigned long long to, unsigned long long from, std::size_t bytes, void*) {
  if (contexts.empty() || contexts.back() == nullptr) return invalid_context;
  return stand_in().copy(bytes_at(to), bytes, bytes_at(from), bytes, bytes, 1);
}
int cuMemcpy2DAsync_v2(const Copy2d* copy, void*) {
  return stand_in().copy(bytes_at(copy->to.device), copy->to.pitch, bytes_at(copy->from.device),
                         copy->from.pitch, copy->width, copy->height);
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, std::size_t bytes, void*) {
  return stand_in().fill(bytes_at(to), bytes, value, bytes, 1);
}
int cuMemsetD2D8Async(unsigned long long to, std::size_t step, unsigned char value,
                      std::size_t bytes, std::size_t rows, void*) {
  return stand_in().fill(bytes_at(to), step, value, bytes, rows);
}
int cuStreamSynchronize(void*) { return stand_in().wait(); }

// An Open MPI that is built for CUDA calls these, too. It moves blocks by way of the host, since
// memory has no handles for other processes here.

int cuDeviceGet(int* device, int number) {
  *device = number;
  return success;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return success;
}
int cuCtxGetCurrent(void** context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return contexts.empty() ? invalid_context : success;
}
int cuPointerGetAttributes(unsigned count, const int* attributes, void** data,
                           unsigned long long address) {
  for (unsigned i = 0; i < count; ++i) {  // what the driver does not know has zeros
    std::memset(data[i], 0, attributes[i] == 1 ? sizeof(void*) : sizeof(unsigned));
    cuPointerGetAttribute(data[i], attributes[i], address);
  }
  return success;
}
int cuPointerSetAttribute(const void*, int, unsigned long long) { return success; }
int cuMemGetAddressRange_v2(unsigned long long* begin, std::size_t* size,
                            unsigned long long address) {
  if (!stand_in().is_alive(bytes_at(address))) return invalid_value;
  const auto [first, bytes] = stand_in().allocation_of(bytes_at(address));
  *begin = reinterpret_cast<unsigned long long>(first);
  *size = bytes;
  return success;
}
int cuMemcpy(unsigned long long to, unsigned long long from, std::size_t bytes) {
  const int result = cuMemcpyAsync(to, from, bytes, nullptr);
  return result == success ? stand_in().wait() : result;
}
int cuMemHostRegister_v2(void*, std::size_t, unsigned) { return success; }
int cuMemHostUnregister(void*) { return success; }
int cuStreamWaitEvent(void*, void*, unsigned) { return success; }
int cuEventCreate(void** event, unsigned) { return cuStreamCreate(event, 0); }
int cuEventDestroy_v2(void*) { return success; }
int cuEventRecord(void*, void*) { return success; }
int cuEventQuery(void*) { return stand_in().wait(); }
int cuEventSynchronize(void*) { return stand_in().wait(); }
int cuIpcGetEventHandle(void*, void*) { return not_supported; }
int cuIpcOpenEventHandle(void**, const void*) { return not_supported; }
int cuIpcGetMemHandle(void*, unsigned long long) { return not_supported; }
int cuIpcOpenMemHandle_v2(unsigned long long*, const void*, unsigned) { return not_supported; }
int cuIpcCloseMemHandle(unsigned long long) { return not_supported; }

// HIP

int hipDriverGetVersion(int* version) {
  *version = static_cast<int>(setting("STAND_IN_HIP", 6)) * 10'000'000 + 140'000;
  return success;
}
const char* hipGetErrorName(int code) {
  return code == illegal_address ? "hipErrorIllegalAddress" : "hipErrorInvalidValue";
}
int hipGetDeviceCount(int* count) { return cuDeviceGetCount(count); }
int hipSetDevice(int) { return success; }
int hipPeekAtLastError() { return last_error; }
int hipGetLastError() {
  const int error = last_error;
  last_error = success;
  return error;
}
int hipPointerGetAttributes(Attributes* found, const void* address) {
  const auto* const bytes = static_cast<const std::byte*>(address);
  if (!stand_in().is_alive(bytes)) return last_error = invalid_value;
  const bool is_managed = stand_in().is_for_processor(bytes);
  void* const there = const_cast<void*>(address);
  *found = {setting("STAND_IN_HIP", 6) < 6 ? 1 : 2, 0, there, nullptr, is_managed ? 1 : 0, 0};
  return success;
}
int hipStreamCreateWithFlags(void** stream, unsigned flags) {
  return cuStreamCreate(stream, flags);
}
int hipStreamDestroy(void*) { return success; }
int hipDeviceGetName(char* text, int length, int device) {
  return cuDeviceGetName(text, length, device);
}
int hipDeviceGetPCIBusId(char* text, int length, int device) {
  return put_text(text, length, device_address, device);
}
int hipMemGetInfo(std::size_t* free, std::size_t* total) { return put_free(free, total); }
int hipMalloc(void** address, std::size_t bytes) {
  return stand_in().allocate(address, bytes, false);
}
int hipMallocManaged(void** address, std::size_t bytes, unsigned) {
  return stand_in().allocate(address, bytes, true);
}
int hipFree(void* address) { return stand_in().free(address); }
int hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  return cuMemHostAlloc(address, bytes, flags);
}
int hipHostFree(void* address) { return cuMemFreeHost(address); }
int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void*) {
  return stand_in().copy(static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from),
                         bytes, bytes, 1);
}
int hipMemcpy2DAsync(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                     std::size_t bytes, std::size_t rows, int, void*) {
  return stand_in().copy(static_cast<std::byte*>(to), to_step, static_cast<const std::byte*>(from),
                         from_step, bytes, rows);
}
int hipMemsetAsync(void* to, int value, std::size_t bytes, void*) {
  return stand_in().fill(static_cast<std::byte*>(to), bytes, value, bytes, 1);
}
int hipMemset2DAsync(void* to, std::size_t step, int value, std::size_t bytes, std::size_t rows,
                     void*) {
  return stand_in().fill(static_cast<std::byte*>(to), step, value, bytes, rows);
}
int hipStreamSynchronize(void*) { return stand_in().wait(); }

// An MPI library that takes addresses of a device, where this is preloaded.

int MPIX_Query_cuda_support() { return 1; }
int MPIX_Query_rocm_support() { return 1; }

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Isend(for_mpi(buffer), count, type, to, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Irecv(for_mpi(buffer), count, type, from, tag, comm, request);
}
int MPI_Sendrecv(const void* out, int sent, MPI_Datatype out_type, int to, int out_tag, void* in,
                 int received, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status* status) {
  return PMPI_Sendrecv(for_mpi(out), sent, out_type, to, out_tag, for_mpi(in), received, in_type,
                       from, in_tag, comm, status);
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return PMPI_Bcast(for_mpi(buffer), count, type, root, comm);
}
int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  return PMPI_Ibcast(for_mpi(buffer), count, type, root, comm, request);
}
int MPI_Allgather(const void* out, int sent, MPI_Datatype out_type, void* in, int received,
                  MPI_Datatype in_type, MPI_Comm comm) {
  return PMPI_Allgather(for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm);
}
int MPI_Iallgather(const void* out, int sent, MPI_Datatype out_type, void* in, int received,
                   MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Iallgather(for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm,
                         request);
}
int MPI_Allgatherv(const void* out, int sent, MPI_Datatype out_type, void* in, const int received[],
                   const int places[], MPI_Datatype in_type, MPI_Comm comm) {
  return PMPI_Allgatherv(for_mpi(out), sent, out_type, for_mpi(in), received, places, in_type,
                         comm);
}
int MPI_Iallgatherv(const void* out, int sent, MPI_Datatype out_type, void* in,
                    const int received[], const int places[], MPI_Datatype in_type, MPI_Comm comm,
                    MPI_Request* request) {
  return PMPI_Iallgatherv(for_mpi(out), sent, out_type, for_mpi(in), received, places, in_type,
                          comm, request);
}
int MPI_Gather(const void* out, int sent, MPI_Datatype out_type, void* in, int received,
               MPI_Datatype in_type, int root, MPI_Comm comm) {
  return PMPI_Gather(for_mpi(out), sent, out_type, for_mpi(in), received, in_type, root, comm);
}
int MPI_Gatherv(const void* out, int sent, MPI_Datatype out_type, void* in, const int received[],
                const int places[], MPI_Datatype in_type, int root, MPI_Comm comm) {
  return PMPI_Gatherv(for_mpi(out), sent, out_type, for_mpi(in), received, places, in_type, root,
                      comm);
}
int MPI_Alltoall(const void* out, int sent, MPI_Datatype out_type, void* in, int received,
                 MPI_Datatype in_type, MPI_Comm comm) {
  return PMPI_Alltoall(for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm);
}
int MPI_Ialltoall(const void* out, int sent, MPI_Datatype out_type, void* in, int received,
                  MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ialltoall(for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm,
                        request);
}
int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return PMPI_Reduce(for_mpi(out), for_mpi(in), count, type, op, root, comm);
}
int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return PMPI_Allreduce(for_mpi(out), for_mpi(in), count, type, op, comm);
}

// libagstar.so calls these by PMPI.
int PMPI_Pack(const void* out, int count, MPI_Datatype type, void* in, int bytes, int* place,
              MPI_Comm comm) {
  return next("PMPI_Pack", for_mpi(out), count, type, for_mpi(in), bytes, place, comm);
}
int PMPI_Unpack(const void* out, int bytes, int* place, void* in, int count, MPI_Datatype type,
                MPI_Comm comm) {
  return next("PMPI_Unpack", for_mpi(out), bytes, place, for_mpi(in), count, type, comm);
}

// Persistent calls, under the names of MPI 4 and of Open MPI 4.
#define PERSISTENT(name, parameters, ...)                                              \
  int MPI_##name##_init parameters { return next("MPI_" #name "_init", __VA_ARGS__); } \
  int MPIX_##name##_init parameters { return next("MPIX_" #name "_init", __VA_ARGS__); }

PERSISTENT(Allgather,
           (const void* out, int sent, MPI_Datatype out_type, void* in, int received,
            MPI_Datatype in_type, MPI_Comm comm, MPI_Info info, MPI_Request* request),
           for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm, info, request)
PERSISTENT(Allgatherv,
           (const void* out, int sent, MPI_Datatype out_type, void* in, const int received[],
            const int places[], MPI_Datatype in_type, MPI_Comm comm, MPI_Info info,
            MPI_Request* request),
           for_mpi(out), sent, out_type, for_mpi(in), received, places, in_type, comm, info,
           request)
PERSISTENT(Alltoall,
           (const void* out, int sent, MPI_Datatype out_type, void* in, int received,
            MPI_Datatype in_type, MPI_Comm comm, MPI_Info info, MPI_Request* request),
           for_mpi(out), sent, out_type, for_mpi(in), received, in_type, comm, info, request)
PERSISTENT(Bcast,
           (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
            MPI_Request* request),
           for_mpi(buffer), count, type, root, comm, info, request)
PERSISTENT(Reduce,
           (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Info info, MPI_Request* request),
           for_mpi(out), for_mpi(in), count, type, op, root, comm, info, request)
PERSISTENT(Allreduce,
           (const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            MPI_Info info, MPI_Request* request),
           for_mpi(out), for_mpi(in), count, type, op, comm, info, request)

}  // extern "C"
