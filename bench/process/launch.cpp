// SPDX-License-Identifier: BSD-3-Clause
#include "bench/process/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "formats/fnv1a.h"
#include "formats/text/input_error.h"
#include "gatherbench_version.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/library_family.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// What launchers tell their processes: the number of them. The first is Open MPI's, the second that
// of MPICH and what is made from it, the third Slurm's.
constexpr std::array size_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr const char* rank_variable = "PMIX_RANK";  // by other launchers

constexpr int nobody = std::numeric_limits<int>::max();

/// The program without its folder, and its options.
std::string command_of(int argc, const char* const* argv) {
  std::vector<std::string> words{std::filesystem::path(argv[0]).filename().string()};
  words.insert(words.end(), argv + 1, argv + argc);
  return fmt::format("{}", fmt::join(words, " "));
}

/// The first rank whose command is not that of rank 0, or `nobody`.
int first_with_another(const std::string& command, int rank) {
  formats::Fnv1a hash;
  hash(version);
  hash(command);
  std::uint64_t expected = hash.value();
  mpi::require(MPI_Bcast(&expected, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  int first = hash.value() == expected ? nobody : rank;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD),
               "MPI_Allreduce");
  return first;
}

}  // namespace

void require_one_command(int argc, const char* const* argv) {
  if (mpi::rank_model().one_process) return;  // its ranks have one command line
  const std::string command = command_of(argc, argv);
  const int first = first_with_another(command, mpi::rank_of(MPI_COMM_WORLD));
  if (first == nobody) return;
  const std::string other = mpi::broadcast_text(command, first, MPI_COMM_WORLD);
  throw text::bad_value(fmt::format("rank {}", first), other,
                        "is another command or version than that of rank 0; legal: one for all");
}

bool may_have_company() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return mpi::rank_model().one_process || std::ranges::any_of(size_variables, is_set) ||
         is_set(rank_variable);
}

void require_own_launcher() {
  if (mpi::rank_model().one_process || mpi::size_of(MPI_COMM_WORLD) > 1) return;
  for (const char* const name : size_variables) {
    const char* const size = std::getenv(name);
    if (size == nullptr || std::string_view(size) == "1") continue;
    const std::string family(mpi::family_of_header());
    throw text::InputError(fmt::format(
        "ranks: this process is alone, but its launcher started {} ({}={}): it is of another MPI "
        "library; legal: the launcher of {}",
        size, name, size, family.empty() ? mpi::library_version() : family));
  }
}

}  // namespace gatherbench::bench
