// SPDX-License-Identifier: BSD-3-Clause
#include "star/world.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "mpi/message_time.h"
#include "mpi/rank_model.h"
#include "star/say.h"
#include "text/input_error.h"
#include "text/read_file.h"

namespace gatherbench::star {
namespace {

using HostName = std::array<char, 256>;

template <class Element>
std::vector<Element> gather_all(const Element& own, int ranks, MPI_Comm comm) {
  std::vector<Element> all(static_cast<std::size_t>(ranks));
  mpi::require(PMPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, comm),
               "MPI_Allgather");
  return all;
}

/// The host of this name, or of its part before the first dot: Slurm's names seldom have a domain.
int find_host(const topology::SwitchTree& tree, const std::string& name, const std::string& file) {
  std::optional<int> host = tree.find_host(name);
  if (!host) host = tree.find_host(name.substr(0, name.find('.')));
  if (!host) throw text::bad_value("AGSTAR_TOPOLOGY", file, "has no host '" + name + "'");
  return *host;
}

/// The text of rank 0's file, on every rank; throws InputError on every rank alike.
std::string read_on_rank_zero(const std::string& path, const World& world) {
  std::string text;
  std::string problem;
  if (world.rank == 0) {
    try {
      text = text::read_file("AGSTAR_TOPOLOGY", path);
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
  const std::vector<HostName> names = gather_all(own, world.ranks, world.comm.get());
  const std::string& path = world.settings.topology;
  const std::string text = read_on_rank_zero(path, world);
  auto tree = std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse(path, text));
  for (const HostName& name : names) world.host.push_back(find_host(*tree, name.data(), path));
  world.switches = std::move(tree);
}

/// From a message without bytes, or nearly, and a large one.
std::optional<formats::ContentionModel> measure_model(MPI_Comm comm) {
  constexpr std::int64_t large = std::int64_t{1} << 18;
  const double alpha_us = mpi::measure_message_us(1, comm);
  const double large_us = mpi::measure_message_us(large, comm);
  if (alpha_us <= 0 || large_us <= alpha_us) return std::nullopt;
  return formats::ContentionModel{alpha_us / 1e6,
                                  static_cast<double>(large) / ((large_us - alpha_us) / 1e6)};
}

}  // namespace

World::World()
    : comm(mpi::Communicator::duplicate(MPI_COMM_WORLD)),
      rank(comm.rank()),
      ranks(comm.size()),
      settings(shared_settings(comm.get())) {
  if (settings.mode == Mode::off) return;
  types.emplace();
  mpi::require(PMPI_Comm_group(comm.get(), &group), "MPI_Comm_group");
  node = gather_all(mpi::lowest_rank_on_node(comm.get()), ranks, comm.get());
  one_clock = std::ranges::all_of(node, [](int lowest) { return lowest == 0; });
  start_ns = mpi::steady_ns();
  mpi::require(PMPI_Bcast(&start_ns, 1, MPI_INT64_T, 0, comm.get()), "MPI_Bcast");
  if (!settings.topology.empty()) {
    try {
      read_topology(*this);
      model = measure_model(comm.get());
    } catch (const text::InputError& error) {
      if (rank == 0) say(std::string(error.what()) + "; all calls are passed on");
      settings.mode = Mode::off;
      return;
    }
  }
  log.open(settings.log, rank);
}

void World::finish() {
  types.reset();
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
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
