// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/world.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "algorithms/topology/cpu_model.h"
#include "algorithms/topology/torus.h"
#include "formats/text/config_lines.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/selection/candidates.h"
#include "runtime/star/profile_file.h"
#include "runtime/star/say.h"

namespace gatherbench::star {

void Log::open(const std::string& path, int rank) {
  if (path.empty()) return;
  const std::string name = path + "." + std::to_string(rank);
  file_.reset(std::fopen(name.c_str(), "wxe"));
  if (file_ == nullptr) {
    say("AGSTAR_LOG: '" + name + "' cannot be made: " + std::strerror(errno) + "; no log");
  }
}

void Log::line(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (file_ == nullptr) return;
  const std::string whole = std::string(text) + "\n";
  const bool written = std::fwrite(whole.data(), 1, whole.size(), file_.get()) == whole.size();
  if (!written || std::fflush(file_.get()) != 0) {
    say(std::string("AGSTAR_LOG: ") + std::strerror(errno) + "; the rest is lost");
    file_.reset();
  }
}

namespace {

using HostName = std::array<char, 256>;

template <class Element>
std::vector<Element> gather_all(const Element& own, int ranks, MPI_Comm comm) {
  std::vector<Element> all(static_cast<std::size_t>(ranks));
  mpi::require(PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm),
               "MPI_Allgather");
  return all;
}

/// The host that a rank's machine calls itself.
int find_host(const topology::SwitchTree& tree, const std::string& name, const std::string& file) {
  const std::optional<int> host = tree.find_host(name);
  if (!host) throw text::bad_value("AGSTAR_TOPOLOGY", file, "has no host '" + name + "'");
  return *host;
}

/// The text that rank 0 reads, on every rank; throws InputError on every rank alike.
template <class Read>
std::string read_on_rank_zero(const World& world, Read read) {
  std::string text;
  std::string problem;
  if (world.rank == 0) {
    try {
      text = read();
    } catch (const text::InputError& error) {
      problem = error.what();
    }
  }
  problem = mpi::broadcast_text(problem, 0, world.comm.get());
  if (!problem.empty()) throw text::InputError(problem);
  return mpi::broadcast_text(text, 0, world.comm.get());
}

void read_topology(World& world) {
  HostName own{};
  gethostname(own.data(), own.size() - 1);
  std::vector<std::string> names;
  for (const HostName& name : gather_all(own, world.ranks, world.comm.get())) {
    names.emplace_back(name.data());
  }
  const std::string& path = world.settings.topology;
  topology::require_no_torus("AGSTAR_TOPOLOGY", path);
  const std::string text =
      read_on_rank_zero(world, [&] { return text::read_config_file("AGSTAR_TOPOLOGY", path); });
  auto tree =
      std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse(path, text, names));
  for (const std::string& name : names) world.host.push_back(find_host(*tree, name, path));
  for (const std::string& note : tree->notes()) {
    if (world.rank == 0) say("AGSTAR_TOPOLOGY: " + note);
  }
  world.switches = std::move(tree);
}

/// Reads the profile. One that does not go with this run is told of, and counts as nothing known.
void read_profile(World& world) {
  const std::string& path = world.settings.profile;
  const auto now = std::chrono::system_clock::now();
  std::int64_t today = std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
  mpi::require(PMPI_Bcast(&today, 1, MPI_INT64_T, 0, world.comm.get()), "MPI_Bcast");
  world.today = std::chrono::sys_days(std::chrono::days(today));
  const std::string text = read_on_rank_zero(world, [&] { return read_profile_file(path); });
  const std::string hosts = mpi::broadcast_text(topology::read_cpu_model(), 0, world.comm.get());
  world.profile =
      policies::Profile{"gatherbench " AGSTAR_VERSION, mpi::library_version(), hosts, {}};
  if (text.empty()) return;
  policies::Profile found = policies::read_profile(path, text);
  const std::optional<std::string> reason =
      policies::why_not(found, world.profile->mpi, world.profile->hosts);
  if (!reason) {
    world.profile->rows = std::move(found.rows);
  } else if (world.rank == 0) {
    say("AGSTAR_PROFILE: " + path + ": " + *reason + "; it is not used, and stays as it is");
  }
}

}  // namespace

World::World()
    : comm(mpi::Communicator::duplicate(MPI_COMM_WORLD)),
      rank(comm.rank()),
      ranks(comm.size()),
      settings(shared_settings(comm.get())) {
  if (settings.mode == Mode::off) return;
  types.emplace();
  alone.comm = mpi::Communicator::duplicate(MPI_COMM_SELF);
  mpi::require(PMPI_Comm_group(comm.get(), &group), "MPI_Comm_group");
  node = gather_all(mpi::lowest_rank_on_node(comm.get()), ranks, comm.get());
  ranks_here = static_cast<int>(std::ranges::count(node, node[static_cast<std::size_t>(rank)]));
  const bool is_one_node = std::ranges::all_of(node, [](int lowest) { return lowest == 0; });
  if (!is_one_node || !mpi::share_steady_clock(comm.get())) {
    clock = mpi::GlobalClock(comm.get());
  }
  start_ns = clock.global_ns(mpi::steady_ns());
  mpi::require(PMPI_Bcast(&start_ns, 1, MPI_INT64_T, 0, comm.get()), "MPI_Bcast");
  try {
    if (!settings.topology.empty()) {
      read_topology(*this);
      model = selection::measure_model(comm.get());
    }
    if (!settings.profile.empty()) read_profile(*this);
  } catch (const text::InputError& error) {
    if (rank == 0) say(std::string(error.what()) + "; all calls are passed on");
    settings.mode = Mode::off;
    return;
  }
  log.open(settings.log, rank);
}

void World::finish() {
  types.reset();
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  alone.comm = mpi::Communicator();
  comm = mpi::Communicator();
}

bool has_device_memory() {
  return std::ranges::any_of(std::array{"libcuda.so.1", "libamdhip64.so", "libamdhip64.so.6",
                                        "libamdhip64.so.5", "libze_loader.so.1"},
                             [](const char* name) {
                               void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
                               if (library != nullptr) dlclose(library);
                               return library != nullptr;
                             });
}

}  // namespace gatherbench::star
