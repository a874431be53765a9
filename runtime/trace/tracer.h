// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "formats/trace/record.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/trace/memberships.h"
#include "runtime/trace/repeats.h"
#include "runtime/trace/trace_file.h"

namespace gatherbench::trace {

/// Call sites, by the address that a call returns to, numbered as they come.
class Sites {
 public:
  Sites() : slots_(64) {}

  std::uint32_t number(const void* address);
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// Returns a line `NUMBER <tab> ADDRESS <tab> SYMBOL+OFFSET <tab> MODULE` for each site whose
  /// number is `first` or more. The address is the module's own, as addr2line takes it; the symbol
  /// is empty where the module does not export it.
  [[nodiscard]] std::vector<std::string> lines_from(std::uint32_t first) const;

 private:
  struct Slot {
    const void* address = nullptr;
    std::uint32_t number = 0;
  };
  Slot& slot_of(const void* address);

  std::vector<Slot> slots_;  // open addressing; a power of two, half empty at least
  std::uint32_t count_ = 0;
};

struct MessageTime {
  std::int64_t bytes;
  std::int64_t ns;  // one way
};

/// Returns what a message takes between the first rank and the last, by size: half the fastest of
/// some round trips. The result is on rank 0; it is empty on the others and with one rank.
/// Collective; takes 0.1 s or so.
///
/// This is the T of a trace's report, as Faraj 2006 has it. (The `t` of the benchmark's arrival
/// patterns is another: the median time while a message goes the other way as well,
/// message_time.h.)
std::vector<MessageTime> measure_message_times(MPI_Comm world);

using formats::TraceOperation;

/// The recording of a rank between MPI_Init and MPI_Finalize.
class Tracer {
 public:
  /// Returns the only tracer. It is never destroyed, since a program may make MPI calls in
  /// destructors of its own.
  static Tracer& the();

  /// Opens the files and begins to record. Collective, after MPI_Init.
  void start();
  /// Ends the recording and closes the files. Collective, before MPI_Finalize.
  void finish();
  /// Saves what there is without any MPI call. Does nothing if finished, in a child process,
  /// or while another thread is writing.
  void abandon(const char* why);

  [[nodiscard]] bool recording() const { return recording_.load(std::memory_order_relaxed); }
  Memberships& memberships() { return *memberships_; }
  void add(TraceOperation operation, const void* site, Membership& membership,
           std::int64_t arrival_ns, std::int64_t exit_ns, const Size& size);

 private:
  void begin();
  bool prepare(std::size_t records);
  void synchronise();
  [[nodiscard]] std::int64_t clock_error_now_ns() const;
  void say_totals();
  void write_header();
  void write_clock();
  void write_message_times();
  // The caller of these two must hold mutex_.
  bool is_recorded(TraceOperation operation, Membership& membership, const Size& size);
  void write_buffer();

  std::atomic<bool> recording_ = false;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  int process_ = 0;
  bool one_clock_ = true;
  std::optional<mpi::GlobalClock> clock_;  // if not one_clock_
  std::int64_t start_ns_ = 0;              // by clock_
  std::int64_t clock_error_ns_ = 0;
  std::uint64_t sample_ = 1;
  std::unique_ptr<Memberships> memberships_;

  std::mutex mutex_;  // of all below
  std::vector<formats::TraceRecord> buffer_;
  std::size_t used_ = 0;
  std::int64_t most_calls_ = 0;  // that are recorded
  std::int64_t calls_ = 0;       // that are on record
  std::int64_t lost_ = 0;        // those of them that could not be written
  std::int64_t left_out_ = 0;    // those between them, as one in `sample_` is recorded
  std::int64_t dropped_ = 0;     // those after them
  std::uint16_t flags_ = 0;      // of the next record
  Sites sites_;
  std::uint32_t sites_written_ = 0;
  std::uint32_t memberships_written_ = 0;
  TraceFile file_;
  std::string directory_;
};

/// Set while a call is traced, so that calls that the MPI library makes for it are not.
extern thread_local bool within_call;

/// Makes the call, and records when the rank came and went. `size` is asked afterwards, so that
/// arrival and call are next to each other.
template <class Call, class SizeOf>
int traced(TraceOperation operation, const void* site, MPI_Comm comm, Call call, SizeOf size) {
  Tracer& tracer = Tracer::the();
  if (!tracer.recording() || within_call) return call();
  within_call = true;
  const std::int64_t arrival_ns = mpi::steady_ns();
  const int code = call();
  const std::int64_t exit_ns = mpi::steady_ns();
  if (comm != MPI_COMM_NULL) {
    Membership& membership = tracer.memberships().of(comm);
    if (membership.traced) {
      tracer.add(operation, site, membership, arrival_ns, exit_ns, size(membership));
    }
  }
  within_call = false;
  return code;
}

}  // namespace gatherbench::trace
