// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/tracer.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/library_family.h"
#include "runtime/trace/environment.h"

namespace gatherbench::trace {
namespace {

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

std::string describe(std::uint32_t number, const void* address) {
  std::ostringstream line;
  line << number << std::hex << "\t0x";
  Dl_info info{};
  link_map* module = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0) {
    line << reinterpret_cast<std::uintptr_t>(address) << "\t\t";
    return line.str();
  }
  line << reinterpret_cast<std::uintptr_t>(address) - module->l_addr << '\t';
  if (info.dli_sname != nullptr) {
    line << readable(info.dli_sname) << "+0x"
         << static_cast<const char*>(address) - static_cast<const char*>(info.dli_saddr);
  }
  // The program itself has no name in `module`, and in `info` the one it was called by.
  line << '\t' << (module->l_name[0] == '\0' ? path_of_program() : module->l_name);
  return line.str();
}

}  // namespace

Sites::Slot& Sites::slot_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  std::size_t place = (bits ^ bits >> 7) & (slots_.size() - 1);
  while (slots_[place].address != nullptr && slots_[place].address != address) {
    place = (place + 1) & (slots_.size() - 1);
  }
  return slots_[place];
}

std::uint32_t Sites::number(const void* address) {
  if (Slot& found = slot_of(address); found.address != nullptr) return found.number;
  if (2 * (count_ + 1) > slots_.size()) {
    const auto before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : before) {
      if (slot.address != nullptr) slot_of(slot.address) = slot;
    }
  }
  slot_of(address) = {address, count_};
  return count_++;
}

std::vector<std::string> Sites::lines_from(std::uint32_t first) const {
  std::vector<std::string> lines(count_ - first);
  for (const Slot& slot : slots_) {
    if (slot.address != nullptr && slot.number >= first) {
      lines[slot.number - first] = describe(slot.number, slot.address);
    }
  }
  return lines;
}

namespace {

constexpr int tag = 8;
constexpr int max_bytes = 1 << 22;
constexpr int enough_bytes = 1 << 16;
constexpr int min_trips = 4;
constexpr std::int64_t max_trips = 30;
constexpr std::int64_t max_ns = 8'000'000;  // of a size

/// The next messages that rank 0 announces; a batch of no trips ends them.
struct Batch {
  int size = 0;
  int trips = 0;
};

void answer(std::span<std::byte> bytes, MPI_Comm world) {
  for (Batch batch;;) {
    PMPI_Recv(&batch, sizeof batch, MPI_BYTE, 0, tag, world, MPI_STATUS_IGNORE);
    if (batch.trips == 0) return;
    for (int trip = 0; trip < batch.trips; ++trip) {
      PMPI_Recv(bytes.data(), batch.size, MPI_BYTE, 0, tag, world, MPI_STATUS_IGNORE);
      PMPI_Send(bytes.data(), batch.size, MPI_BYTE, 0, tag, world);
    }
  }
}

std::int64_t fastest_trip_ns(std::span<std::byte> bytes, Batch batch, int last, MPI_Comm world) {
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  PMPI_Send(&batch, sizeof batch, MPI_BYTE, last, tag, world);
  for (int trip = 0; trip < batch.trips; ++trip) {
    const std::int64_t start_ns = mpi::steady_ns();
    PMPI_Send(bytes.data(), batch.size, MPI_BYTE, last, tag, world);
    PMPI_Recv(bytes.data(), batch.size, MPI_BYTE, last, tag, world, MPI_STATUS_IGNORE);
    fastest_ns = std::min(fastest_ns, mpi::steady_ns() - start_ns);
  }
  return fastest_ns;
}

}  // namespace

std::vector<MessageTime> measure_message_times(MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  const int ranks = mpi::size_of(world);
  std::vector<MessageTime> times;
  if (ranks > 1 && (rank == 0 || rank == ranks - 1)) {
    // Not allocated: a rank that got no memory would leave the other one waiting.
    static std::array<std::byte, max_bytes> bytes;
    if (rank != 0) {
      answer(bytes, world);
      return times;
    }
    constexpr Batch done;
    for (int size = 1; size <= max_bytes; size *= 4) {
      std::int64_t trip_ns = fastest_trip_ns(bytes, {size, min_trips}, ranks - 1, world);
      if (const std::int64_t more = std::min(max_trips, max_ns / (trip_ns + 1)); more > 0) {
        const Batch batch{size, static_cast<int>(more)};
        trip_ns = std::min(trip_ns, fastest_trip_ns(bytes, batch, ranks - 1, world));
      }
      times.push_back({size, trip_ns / 2});
      // A straight line is as good as a measurement from a size on where bytes count more than
      // trips.
      if (size >= enough_bytes && trip_ns > max_ns) break;
    }
    PMPI_Send(&done, sizeof done, MPI_BYTE, ranks - 1, tag, world);
  }
  return times;
}

thread_local bool within_call = false;

Tracer& Tracer::the() {
  static auto* const tracer = new Tracer;
  return *tracer;
}

void Tracer::start() {
  if (world_ != MPI_COMM_NULL) return;
  if (const std::string_view other = mpi::library_of_another_family(); !other.empty()) {
    say("is built for " + std::string(mpi::family_of_header()) + ", but the program runs on " +
        std::string(other) + "; legal: a libagtrace.so that is built with the program's MPI");
    std::_Exit(2);
  }
  within_call = true;
  try {
    begin();
  } catch (const std::exception& error) {
    // A program that asked MPI to return errors goes on, and so it has to.
    say(std::string(error.what()) + "; nothing is traced");
    file_.close();
  }
  within_call = false;
}

/// Throws mpi::MpiError.
void Tracer::begin() {
  mpi::require(PMPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
  rank_ = mpi::rank_of(world_);
  ranks_ = mpi::size_of(world_);
  process_ = getpid();
  directory_ = shared_directory(world_);
  if (directory_.empty()) return;
  const Settings settings = shared_settings(world_);
  most_calls_ = static_cast<std::int64_t>(settings.most_records);
  sample_ = settings.sample;
  if (!prepare(settings.buffer_records)) return;
  one_clock_ = !settings.always_synchronise && share_a_clock(world_);
  synchronise();
  write_clock();
  // Ranks wait for each other, since the time that this took is not the program's imbalance.
  mpi::require(PMPI_Barrier(world_), "MPI_Barrier");
  recording_ = true;
}

/// Opens the file, and makes a buffer of so many records. A rank that gave up alone would leave the
/// others waiting in what follows, so all ranks go on or none does. Returns true if they go on.
/// Collective. Throws mpi::MpiError.
bool Tracer::prepare(std::size_t records) {
  std::string problem;
  try {
    problem = file_.open(directory_ + "/rank_" + std::to_string(rank_) + ".agtrace");
    if (problem.empty()) {
      memberships_ = std::make_unique<Memberships>(world_);
      buffer_.resize(records);
      write_header();
    }
  } catch (const std::bad_alloc&) {
    problem = "no memory for " + std::to_string(records) + " records (AGTRACE_BUFFER)";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!problem.empty()) say(problem + "; nothing is traced");
  int ready = problem.empty() ? 1 : 0;
  mpi::require(PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, world_), "MPI_Allreduce");
  if (ready == 0) {
    file_.close();
    buffer_ = {};
  }
  return ready != 0;
}

void Tracer::synchronise() {
  if (one_clock_) return;
  try {
    if (!clock_) {
      clock_.emplace(world_);
      start_ns_ = clock_->synchronised_ns();
    } else {
      clock_->synchronise();
    }
    // The line that now knows both ends of the run is the farthest off at its beginning.
    clock_error_ns_ = clock_->error_ns(start_ns_);
  } catch (const std::exception& error) {
    say(std::string("the clocks are not synchronised: ") + error.what());
    if (clock_) clock_error_ns_ = clock_error_now_ns();
  }
}

/// Returns how far off the clocks may be by now, which grows with the time since they were
/// synchronised. There has to be a clock.
std::int64_t Tracer::clock_error_now_ns() const {
  return clock_->error_ns(clock_->global_ns(mpi::steady_ns()));
}

void Tracer::finish() {
  if (!recording_.exchange(false)) return;
  within_call = true;
  synchronise();
  write_message_times();
  {
    const std::scoped_lock lock(mutex_);
    write_buffer();
    write_clock();
    const char* const word = dropped_ > 0 ? "limit " : "finalize ";
    file_.closing_line("end", word + std::to_string(calls_));
    file_.close();
  }
  say_totals();
  memberships_.reset();
  PMPI_Comm_free(&world_);
  within_call = false;
}

/// Tells, on rank 0, how many calls all ranks recorded, lost, left out and dropped. Collective.
void Tracer::say_totals() {
  const std::array<std::int64_t, 4> own{calls_ - lost_, lost_, left_out_, dropped_};
  std::array<std::int64_t, 4> all{};
  PMPI_Reduce(own.data(), all.data(), 4, MPI_INT64_T, MPI_SUM, 0, world_);
  if (rank_ != 0) return;
  const auto& [calls, lost, left_out, dropped] = all;
  say(std::to_string(calls) + " calls, ranks: " + std::to_string(ranks_) + ", in " + directory_);
  if (lost > 0) say(std::to_string(lost) + " calls could not be written, and are not on record");
  if (sample_ > 1) {
    say("of " + std::to_string(sample_) + " calls that are alike one is recorded " +
        "(AGTRACE_SAMPLE); " + std::to_string(left_out) + " calls between them are left out");
  }
  if (dropped > 0) {
    say("a rank keeps " + std::to_string(most_calls_) + " calls at most (AGTRACE_LIMIT); " +
        std::to_string(dropped) + " calls after them are not on record");
  }
}

void Tracer::abandon(const char* why) {
  if (process_ != getpid() || !recording_.exchange(false)) return;
  // A thread that is stopped where it holds the mutex will not give it back.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  write_buffer();
  file_.closing_line("end", std::string(why) + ' ' + std::to_string(calls_));
  file_.close();
}

void Tracer::add(TraceOperation operation, const void* site, Membership& membership,
                 std::int64_t arrival_ns, std::int64_t exit_ns, const Size& size) {
  const std::uint32_t call = membership.calls++;
  const std::scoped_lock lock(mutex_);
  if (!is_recorded(operation, membership, size)) {
    flags_ = 0;
    return;
  }
  buffer_[used_++] = {arrival_ns,          exit_ns,           size.bytes,
                      size.total_bytes,    membership.number, call,
                      sites_.number(site), operation,         flags_};
  ++calls_;
  flags_ = 0;
  if (used_ == buffer_.size()) {
    write_buffer();
    flags_ = formats::TraceRecord::after_write;
  }
}

/// Returns whether a call is recorded, and counts it if not.
bool Tracer::is_recorded(TraceOperation operation, Membership& membership, const Size& size) {
  if (calls_ >= most_calls_) {
    ++dropped_;
    return false;
  }
  if (sample_ == 1) return true;
  const Repeats::Turn turn = membership.repeats.next(membership.id, operation, size, sample_);
  if (turn == Repeats::Turn::drawn) flags_ |= formats::TraceRecord::drawn;
  if (turn == Repeats::Turn::left_out) ++left_out_;
  return turn != Repeats::Turn::left_out;
}

/// Writes what the records in the buffer refer to, then the records, and empties the buffer.
void Tracer::write_buffer() {
  for (const std::string& line : memberships_->lines_from(memberships_written_)) {
    file_.line("communicator", line);
  }
  memberships_written_ = memberships_->count();
  for (const std::string& line : sites_.lines_from(sites_written_)) file_.line("site", line);
  sites_written_ = sites_.count();
  if (sample_ > 1) file_.line("left_out", std::to_string(left_out_));
  // A program that does not reach MPI_Finalize has no later line than this.
  if (clock_) file_.line("clock_error_ns", std::to_string(clock_error_now_ns()));
  lost_ += static_cast<std::int64_t>(used_ - file_.records({buffer_.data(), used_}));
  used_ = 0;
}

void Tracer::write_header() {
  file_.line("agtrace", "3");  // 1 had no checksums, 2 records of 48 bytes
  file_.line("suite", "gatherbench " AGTRACE_VERSION);
  file_.line("rank", std::to_string(rank_));
  file_.line("ranks", std::to_string(ranks_));
  for (const auto& [key, value] : describe_process()) file_.line(key, value);
  std::string names;
#define AGTRACE_ROW(name) names += "MPI_" #name " ";
  AGTRACE_OPERATIONS(AGTRACE_ROW)
#undef AGTRACE_ROW
  names.pop_back();
  file_.line("operations", names);
  file_.line("kind", formats::TraceBlock::kind_columns);
  file_.line("record", formats::TraceBlock::record_columns);
  if (sample_ > 1) file_.line("sample", std::to_string(sample_));
}

/// Writes two points of the straight line from this rank's clock to rank 0's; the last two in a
/// file count.
void Tracer::write_clock() {
  file_.line("clock", one_clock_ ? "one for all ranks" : "one a node, synchronised");
  file_.line("clock_error_ns", std::to_string(clock_error_ns_));
  const std::int64_t now_ns = mpi::steady_ns();
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  for (const std::int64_t at_ns : {now_ns - hour_ns, now_ns}) {
    file_.line("clock_point", std::to_string(at_ns) + ' ' +
                                  std::to_string(clock_ ? clock_->global_ns(at_ns) : at_ns));
  }
}

void Tracer::write_message_times() {
  for (const MessageTime& each : measure_message_times(world_)) {
    file_.line("message", std::to_string(each.bytes) + ' ' + std::to_string(each.ns));
  }
}

}  // namespace gatherbench::trace

/// A program that ends without MPI_Finalize still leaves what its ranks had recorded.
__attribute__((destructor)) static void agtrace_unloaded() {
  gatherbench::trace::Tracer::the().abandon("exit");
}
