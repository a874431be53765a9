// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "algorithms/cost/models.h"
#include "algorithms/topology/switch_tree.h"
#include "runtime/mpi/handles.h"
#include "runtime/policies/policy.h"
#include "runtime/policies/profile.h"
#include "runtime/policies/short_calls.h"
#include "runtime/selection/candidates.h"
#include "runtime/star/call/call.h"
#include "runtime/star/call/datatypes.h"
#include "runtime/star/learnt.h"
#include "runtime/star/new_file.h"

namespace gatherbench::star {

enum class Mode {
  off,      ///< every call is passed on, and nothing is timed
  on,       ///< calls run what the policy says
  observe,  ///< every call is passed on, and some are timed
};

/// The settings that the environment's AGSTAR_* say.
struct Settings {
  Mode mode = Mode::on;
  std::string policy{policies::default_policy};
  const policies::PolicyKind* kind = &policies::kind_of(policies::default_policy);
  std::int64_t budget_permille = policies::default_budget_permille;
  std::int64_t first =
      selection::first_ones;  ///< most algorithms that are tried without any expectation
  /// Shorter calls stay with the MPI library; none: as policies::worth_of_trying says.
  std::optional<std::int64_t> least_ns = {};
  /// Algorithms are chosen for these collectives; if there is none here, for all.
  std::vector<const collectives::Collective*> collectives;
  /// Reductions whose result depends on the order of their elements are chosen for, too.
  bool any_rounding = false;
  std::string topology;  ///< path of a switch tree; empty: not known
  std::string profile;   ///< path of what runs leave to the next one; empty: none
  std::string report;    ///< path of the report in detail; empty: none, but the sums
  std::string log;       ///< path without the rank; empty: none

  [[nodiscard]] bool serves(const collectives::Collective& collective) const {
    return collectives.empty() || std::ranges::find(collectives, &collective) != collectives.end();
  }
  /// Returns the policy of a communicator's session of this number. Each session of `random` has
  /// its own seed, or all would draw alike.
  [[nodiscard]] std::string policy_of(std::size_t session) const;
};

/// Parses lines NAME=VALUE, each ended by a zero byte. Throws text::InputError.
Settings parse_settings(std::string_view lines);

/// Returns rank 0's settings, on every rank: what ranks do alike must not hang on what an
/// environment of one of them lacks. The mode is off, with one line on rank 0, if a value is bad.
/// Collective.
Settings shared_settings(MPI_Comm world);

/// The log of AGSTAR_LOG: a file for each rank, with a line for each agreement. A line has nothing
/// in it that ranks do not have alike, so the files of a communicator's ranks have the same lines
/// of it.
class Log {
 public:
  /// Opens the file. `path` is without the rank; if it is empty, there is no log. A failure to
  /// write is told once.
  void open(const std::string& path, int rank);
  [[nodiscard]] bool is_open() const { return file_.is_open(); }
  void line(std::string_view text);

 private:
  std::mutex mutex_;
  NewFile file_;
};

/// The state that all communicators share, from MPI_Init to MPI_Finalize.
struct World {
  /// Most communicators of ours at a time: MPI libraries have some thousand in all.
  static constexpr int most_duplicates = 64;
  /// Most memory of a node in the windows of all communicators. Each of its ranks has an equal
  /// share, since none knows the communicators of the others.
  static constexpr std::int64_t most_window_bytes = std::int64_t{64} << 20;

  /// Collective over MPI_COMM_WORLD. Throws mpi::MpiError.
  World();
  ~World() { finish(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Gives back what is of MPI, before MPI_Finalize.
  void finish();

  /// Returns how many calls with so large a result come before anything is done for their sake.
  [[nodiscard]] std::int64_t early_calls(std::int64_t bytes) const {
    const bool are_short = has_cores && bytes <= policies::most_early_bytes;
    const bool may_wait = settings.mode == Mode::on && settings.kind->is_bounded;
    return are_short && may_wait && !settings.least_ns ? policies::early_calls : 0;
  }
  /// Returns how candidates of a session are found.
  [[nodiscard]] selection::Search search() const {
    return {settings.kind->is_bounded, static_cast<std::size_t>(settings.first), model};
  }

  mpi::Communicator comm;  ///< of all ranks; ours
  Alone alone;
  int rank;
  int ranks;
  Settings settings;
  MPI_Group group = MPI_GROUP_NULL;
  std::vector<int> node;      ///< of each rank
  int ranks_here = 1;         ///< on this rank's node
  bool has_cores = false;     ///< all ranks are on one node, with a core for each
  bool one_clock = false;     ///< all ranks read the same steady clock
  std::int64_t start_ns = 0;  ///< by rank 0's steady clock
  std::shared_ptr<const topology::SwitchTree> switches;  ///< null: not known
  std::vector<int> host;                                 ///< of each rank in `switches`
  /// The model of messages' times, if the switches are known; for expectations.
  std::optional<cost::ContentionModel> model;
  /// The times that former runs found, with AGSTAR_PROFILE; in the first run it has no rows. The
  /// heading is this run's.
  std::optional<policies::Profile> profile;
  std::chrono::sys_days today{};  ///< rank 0's
  std::optional<Datatypes> types;
  Log log;
  Memory memory;

  std::atomic<int> duplicates = 0;             ///< communicators of ours that there are now
  std::atomic<std::int64_t> ids = 0;           ///< given out by this rank
  std::atomic<std::int64_t> window_bytes = 0;  ///< this rank's parts, that there are now
  std::atomic<bool> window_failed = false;  ///< MPI had none for this rank: it is not asked again
  std::atomic<std::int64_t> without_windows = 0;  ///< communicators, counted by their first rank
};

}  // namespace gatherbench::star
