// SPDX-License-Identifier: BSD-3-Clause
#include "bench/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/host/loaded_libraries.h"
#include "bench/host/rank_zero.h"
#include "bench/host/watchdog.h"
#include "bench/native/library_settings.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "gatherbench_version.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/library_family.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

// Launchers tell each process by these variables how many processes there are, and which one it is.
// The first is Open MPI's, the second MPICH's and its relatives', the third Slurm's.
constexpr std::array size_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr const char* other_launchers_rank = "PMIX_RANK";
constexpr std::array rank_variables{"OMPI_COMM_WORLD_RANK", "PMI_RANK", other_launchers_rank,
                                    "SLURM_PROCID"};

/// Returns the first line of `lines` that `others` lacks; empty if there is none.
std::string_view first_of_its_own(std::string_view lines, std::string_view others) {
  const std::vector<std::string_view> known = text::split(others, '\n');
  for (const std::string_view line : text::split(lines, '\n')) {
    if (std::ranges::find(known, line) == known.end()) return line;
  }
  return {};
}

std::string quoted_or_nothing(std::string_view text) {
  return text.empty() ? "nothing of its own" : fmt::format("'{}'", text);
}

/// Returns why the options of one rank cannot be used. `rank` is the first one whose answer to that
/// differs from rank 0's.
text::InputError unlike_refusal(int rank, const RankInput& own, MPI_Comm comm) {
  std::string refusal = text_of_rank(rank, own.refusal, comm);
  if (refusal.empty()) {  // it is rank 0 that cannot use them
    rank = 0;
    refusal = text_of_rank(rank, own.refusal, comm);
  }
  const std::string config = text_of_rank(rank, own.config, comm);
  if (!config.empty() && refusal.find(config) == std::string::npos) {
    refusal += fmt::format(" (in its --config {})", config);
  }
  return text::InputError(fmt::format("rank {}: {}", rank, refusal));
}

/// Returns how the files of --config differ. The commands are the same, so the files are not.
text::InputError unlike_options(int rank, const RankInput& own, MPI_Comm comm) {
  const std::string there = text_of_rank(rank, own.given, comm);
  const std::string here = text_of_rank(0, own.given, comm);
  return text::InputError(
      fmt::format("rank {}: its --config {} is another file than that of rank 0: it has {}, rank 0 "
                  "has {}; legal: "
                  "one for all",
                  rank, own.config, quoted_or_nothing(first_of_its_own(there, here)),
                  quoted_or_nothing(first_of_its_own(here, there))));
}

// These words stand behind the settings of all other ranks.
constexpr std::string_view rank_zero_with = "rank 0 with ";

/// Returns `before` and those of `settings` that `others` lack; empty if there are none.
std::string settings_not_in(std::string_view others, std::string_view settings,
                            std::string_view before) {
  if (settings == no_settings) return {};
  const std::vector<std::string_view> known = text::split(others, ' ');
  std::vector<std::string_view> own = text::split(settings, ' ');
  std::erase_if(own,
                [&](std::string_view one) { return std::ranges::find(known, one) != known.end(); });
  return own.empty() ? "" : fmt::format("{}{}", before, fmt::join(own, " "));
}

/// Returns "unlike: ranks 1,3-5 with B=2 without B=1; rank 0 with A=1 B=1".
std::string unite_settings(std::span<const std::string> of_ranks) {
  std::map<std::string_view, std::vector<int>> ranks_with;
  for (int rank = 0; const std::string& settings : of_ranks) ranks_with[settings].push_back(rank++);
  const std::string_view first = of_ranks[0];
  ranks_with.erase(first);
  std::map<std::vector<int>, std::string_view> in_order;
  for (const auto& [settings, ranks] : ranks_with) in_order.emplace(ranks, settings);
  std::string text(unlike_settings);
  for (const auto& [ranks, settings] : in_order) {
    text += fmt::format("rank{} {}{}{}; ", ranks.size() == 1 ? "" : "s", text::format_runs(ranks),
                        settings_not_in(first, settings, " with "),
                        settings_not_in(settings, first, " without "));
  }
  return fmt::format("{}{}{}", text, rank_zero_with, first);
}

}  // namespace

std::string command_of(std::vector<std::string> words) {
  words[0] = std::filesystem::path(words[0]).filename().string();
  return fmt::format("{}", fmt::join(words, " "));
}

std::string require_one_launch(const RankInput& own, MPI_Comm comm) {
  if (mpi::rank_model().one_process) return own.library_settings;  // they share all of it
  enum : std::size_t { command, build, library, refusal, given, settings };
  const std::string own_library = mpi::library_version();
  const std::array told{fmt::format("{} {} {}", version, compiler, own.command),
                        build_id(),
                        own_library,
                        own.refusal,
                        own.given,
                        own.library_settings};
  const std::vector<int> unlike = find_unlike(told, comm);
  if (const int rank = unlike[command]; rank != nobody) {
    throw text::bad_value(fmt::format("rank {}", rank), text_of_rank(rank, own.command, comm),
                          "is another command or version than that of rank 0; legal: one for all");
  }
  if (const int rank = unlike[build]; rank != nobody) {
    throw text::InputError(fmt::format(
        "rank {}: its program is another build of the same version than that of rank 0; legal: one "
        "for all",
        rank));
  }
  if (const int rank = unlike[library]; rank != nobody) {
    throw text::bad_value(fmt::format("rank {}", rank), text_of_rank(rank, own_library, comm),
                          "is another MPI library than that of rank 0; legal: one for all");
  }
  if (unlike[refusal] != nobody) throw unlike_refusal(unlike[refusal], own, comm);
  if (unlike[given] != nobody) throw unlike_options(unlike[given], own, comm);
  if (unlike[settings] == nobody) return own.library_settings;
  const std::vector<std::string> of_ranks = texts_on_rank_zero(own.library_settings, comm);
  return text_of_rank(0, of_ranks.empty() ? "" : unite_settings(of_ranks), comm);
}

std::string unlike_in(std::string_view library_settings) {
  if (!library_settings.starts_with(unlike_settings)) return {};
  const std::string_view told = library_settings.substr(0, library_settings.rfind(rank_zero_with));
  return fmt::format("settings of the MPI library are {}", told.substr(0, told.rfind("; ")));
}

int launched_rank() {
  if (mpi::rank_model().one_process) return Watchdog::unknown_rank;  // it tells of all of them
  for (const char* const name : rank_variables) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    int rank = Watchdog::unknown_rank;
    const std::string_view digits(text);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0) return rank;
  }
  return Watchdog::unknown_rank;
}

bool may_have_company() {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return mpi::rank_model().one_process || std::ranges::any_of(size_variables, is_set) ||
         is_set(other_launchers_rank);
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
