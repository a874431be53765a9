// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/launch_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "bench/conditions/user_buffer.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {

namespace fs = std::filesystem;

/// Reads a file such as "always [madvise] never", with brackets around what the kernel does.
bool has_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  return std::getline(file, line) && line.find("[never]") == std::string::npos;
}

/// A mapping begins with "7f0000000000-7f0000200000 rw-p ...", and lines of values follow it, such
/// as "AnonHugePages:      2048 kB".
std::optional<std::int64_t> huge_bytes_around(const std::byte* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream file("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    char dash = ' ';
    if (words >> std::hex >> first >> dash >> end && dash == '-') {
      is_here = first <= wanted && wanted < end;
      continue;
    }
    std::istringstream value(line);
    std::string name;
    std::int64_t kib = 0;
    constexpr std::int64_t kib_bytes = 1024;
    if (is_here && value >> name >> kib && name == "AnonHugePages:") return kib * kib_bytes;
  }
  return std::nullopt;
}

bool gives_huge_page() {
  const UserBuffer tried(1, {.pages = Pages::huge});
  *tried.data() = std::byte{1};
  return huge_bytes_around(tried.data()).value_or(huge_page_bytes) > 0;
}

namespace {

/// Returns the bytes of the size in a file, such as "32768K"; 0 if that is no size.
std::int64_t size_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string text;
  stream >> text;
  try {
    return text::parse_bytes("size", text);
  } catch (const text::InputError&) {
    return 0;
  }
}

}  // namespace

std::int64_t last_level_cache(const fs::path& root) {
  std::int64_t largest = 0;
  std::error_code none;
  for (const fs::directory_entry& cpu :
       fs::directory_iterator(root / "sys/devices/system/cpu", none)) {
    if (!cpu.path().filename().string().starts_with("cpu")) continue;
    for (const fs::directory_entry& cache : fs::directory_iterator(cpu.path() / "cache", none)) {
      largest = std::max(largest, size_in(cache.path() / "size"));
    }
  }
  return largest;
}

namespace {

/// Throws InputError if the kernel of any node gives no huge page. Collective.
void require_huge_pages(MPI_Comm world) {
  enum : int { gives, does_not, has_none };
  int found = !has_huge_pages() ? has_none : gives_huge_page() ? gives : does_not;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
  if (found == gives) return;
  throw text::bad_value(
      "--pages", name_in(pages_names, Pages::huge),
      found == has_none
          ? "needs transparent huge pages, which the kernel of a node does not give "
            "(/sys/kernel/mm/transparent_hugepage/enabled); legal: usual, small"
          : "was tried on a buffer of one byte, and the kernel of a node gave a small page (its "
            "memory may be in pieces that are too small); legal: usual, small");
}

}  // namespace

BufferChoice find_buffers(const Options& options, MPI_Comm world) {
  constexpr std::string_view option = "--buffers";
  if (mpi::rank_model().one_process) {
    const BufferChoice same{BufferUse::same};
    if (options.buffers && options.buffers->use != BufferUse::same) {
      throw text::bad_value(option, options.buffers->text(),
                            "is about caches, and a simulation has none; legal: same");
    }
    return same;
  }
  const bool in_device = is_of_device(options.places.in);
  if (in_device && options.buffers && options.buffers->use == BufferUse::cold) {
    throw text::bad_value(option, options.buffers->text(),
                          "is about the processor's caches, and these buffers are in a device "
                          "(--buffers-in); legal: same, fresh, rotate:BYTES");
  }
  // If calls follow each other at once, the writing of what is sent would come between them.
  const bool back_to_back = options.sync == Sync::none ||
                            (options.replay.is_asked() && options.replay.gaps == Gaps::none);
  const BufferChoice by_need{back_to_back ? BufferUse::same : BufferUse::fresh};
  BufferChoice choice = options.buffers.value_or(by_need);
  if (choice.use != BufferUse::cold || choice.bytes > 0) return choice;
  const std::int64_t own = last_level_cache();
  std::array of_all{own, -own};  // the largest, and the smallest
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, of_all.data(), 2, MPI_INT64_T, MPI_MAX, world),
               "MPI_Allreduce");
  if (of_all[1] == 0) {
    throw text::bad_value(option, choice.text(),
                          "needs the size of the last-level cache, which the kernel of a node does "
                          "not tell; legal: cold:BYTES, with twice that cache or more");
  }
  choice.bytes = 2 * of_all[0];
  return choice;
}

void require_places(const BufferPlaces& places, MPI_Comm world) {
  if (places.in == BuffersIn::window && !mpi::NodeWindow::why_none().empty()) {
    throw text::bad_value("--buffers-in", name_in(buffers_in_names, places.in),
                          fmt::format("{}; legal: private", mpi::NodeWindow::why_none()));
  }
  if (mpi::rank_model().one_process) {
    if (places.offsets.text() != BufferOffsets{}.text()) {
      throw text::bad_value("--buffer-offset", places.offsets.text(),
                            "is about memory, and a simulation has none; legal: 0");
    }
    if (places.pages != Pages::as_usual) {
      throw text::bad_value("--pages", name_in(pages_names, places.pages),
                            "is about memory, and a simulation has none; legal: usual");
    }
  }
  if (places.pages == Pages::huge) require_huge_pages(world);
}

}  // namespace gatherbench::bench
