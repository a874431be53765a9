// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/launch_buffers.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "bench/conditions/huge_pages.h"
#include "bench/conditions/last_level_cache.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {
namespace {

/// Throws InputError where the kernel of any node gives none. Collective.
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
  // Back to back, writing what is sent would lie between the calls.
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
