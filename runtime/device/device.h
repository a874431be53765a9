// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

// Memory of devices (graphics processors), by the driver that is on the machine: it is opened while
// the program runs, so that one executable serves machines with and without.
namespace gatherbench::device {

/// A call of a driver that failed, with the driver's own name of the error.
class DeviceError : public std::runtime_error {
 public:
  DeviceError(std::string_view call, std::string_view error);
};

/// Rows of so many bytes that lie `step` bytes apart, or one row.
struct Rows {
  std::size_t bytes;  ///< of each
  std::size_t count = 1;
  std::size_t to_step = 0;    ///< from one row to the next, where they are written
  std::size_t from_step = 0;  ///< where they are read; of `fill`, 0
};

/// One device, as its driver has it, and memory that it can reach. All functions that are not
/// noexcept throw DeviceError.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Returns what the driver calls it, "NVIDIA H200".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Returns where it is in the machine, "0000:01:00.0": the same on all ranks that have it.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Returns how many bytes of it are free now.
  [[nodiscard]] virtual std::int64_t free_bytes() const = 0;

  /// Returns memory of the device, which the processor may use, too, if it is managed. Throws
  /// std::bad_alloc where there is too little.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void free(std::byte* bytes) noexcept = 0;
  /// Returns memory of the host that the device reads and writes by itself (pinned). Throws
  /// std::bad_alloc.
  [[nodiscard]] virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  virtual void free_pinned(std::byte* bytes) noexcept = 0;

  /// Begins a copy, from and to any memory that the driver knows or the processor has. Copies are
  /// done in the order in which they were begun; `wait` returns when all are done.
  virtual void copy(std::byte* to, const std::byte* from, const Rows& rows) = 0;
  /// Begins to write a byte all over memory of the device, in order with the copies.
  virtual void fill(std::byte* to, std::byte value, const Rows& rows) = 0;
  virtual void wait() = 0;
};

/// A driver, by the file of its library.
struct Driver {
  std::string_view name;      ///< for messages, "NVIDIA's driver"
  std::string_view mpi_kind;  ///< of memory, as MPI calls it: "cuda"
  /// The files that may hold the library; the first that is there serves.
  std::span<const char* const> libraries;
  // The functions throw DeviceError, if they do not say otherwise.
  int (*devices)(void* library);          ///< returns the number of devices
  std::string (*version)(void* library);  ///< "CUDA 12.4"
  std::unique_ptr<Device> (*open)(void* library, int number, bool managed);
  /// Returns whether memory is a device's alone, so that no processor may touch it. Managed memory
  /// is not, nor what the driver does not know. Throws nothing.
  bool (*holds)(void* library, const void* address);
  /// Copies between memory of a device and any other, on whatever device it is and by whatever
  /// thread, and returns when that is done. The program's own streams neither wait nor are waited
  /// for.
  void (*copy)(void* library, std::byte* to, const std::byte* from, std::size_t bytes);
};

extern const Driver cuda;
extern const Driver hip;

/// Returns the driver's library, which stays loaded; null: there is none.
void* library_of(const Driver& driver);

/// The device of this process. It is opened once, and stays so to the end.
class Current {
 public:
  /// Takes a device, whose memory is `managed` or not. Throws DeviceError.
  static void open(const Driver& driver, int number, bool managed);
  /// Returns the device; `open` must have been called.
  [[nodiscard]] static Device& device();
};

}  // namespace gatherbench::device
