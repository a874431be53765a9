// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/world.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/topology/cpu_model.h"
#include "algorithms/topology/torus.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/policies/choices.h"
#include "runtime/selection/candidates.h"
#include "runtime/star/profile_file.h"
#include "runtime/star/say.h"

namespace gatherbench::star {
namespace {

constexpr std::string_view prefix = "AGSTAR";
constexpr std::string_view random = "random:";

Mode parse_mode(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 3> legal{"off", "on", "observe"};
  for (std::size_t i = 0; i < legal.size(); ++i) {
    if (legal[i] == value) return static_cast<Mode>(i);
  }
  throw text::unknown_name(name, "mode", value, legal);
}

std::int64_t parse_budget(std::string_view name, std::string_view value) {
  const double permille = text::parse_fraction(name, value) * 1000;
  if (std::abs(permille - std::round(permille)) > 1e-9) {
    throw text::bad_value(name, value, "is no whole number of thousandths");
  }
  return std::llround(permille);
}

std::int64_t parse_least(std::string_view name, std::string_view value) {
  if (value == "0") return 0;
  return std::llround(text::parse_duration(name, value) * 1e9);
}

std::vector<const collectives::Collective*> parse_collectives(std::string_view name,
                                                              std::string_view value) {
  const auto table = collectives::collective_table();
  const auto name_of = [](const collectives::Collective* each) { return each->name; };
  std::vector<std::string_view> legal;
  std::ranges::transform(table, std::back_inserter(legal), name_of);
  std::vector<const collectives::Collective*> found;
  for (const std::string_view each : text::split(value, ',')) {
    const auto known = std::ranges::find(table, each, name_of);
    if (known == table.end()) throw text::unknown_name(name, "collective", each, legal);
    found.push_back(*known);
  }
  return found;
}

bool parse_rounding(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 2> legal{"none", "any"};
  const auto* const found = std::ranges::find(legal, value);
  if (found == legal.end()) throw text::unknown_name(name, "rounding", value, legal);
  return value == "any";
}

/// Throws text::InputError if the policy is not legal for any collective: it may name algorithms of
/// any one.
void require_policy(std::string_view name, std::string_view value) {
  for (const collectives::Collective& each : collectives::all_collectives()) {
    try {
      policies::require_policy(name, value, each);
      return;
    } catch (const text::InputError&) {
      continue;  // perhaps of another one
    }
  }
  policies::require_policy(name, value);
}

using Reader = void(Settings& settings, std::string_view name, std::string_view value);

struct Variable {
  std::string_view name;
  Reader* read;
  bool is_written = false;  ///< its value is the path of a file that is written later
};

constexpr std::array variables{
    Variable{"AGSTAR", [](Settings& s, std::string_view name,
                          std::string_view value) { s.mode = parse_mode(name, value); }},
    Variable{"AGSTAR_POLICY",
             [](Settings& s, std::string_view name, std::string_view value) {
               require_policy(name, value);
               s.policy = value;
               s.kind = &policies::kind_of(value);
             }},
    Variable{"AGSTAR_BUDGET",
             [](Settings& s, std::string_view name, std::string_view value) {
               s.budget_permille = parse_budget(name, value);
             }},
    Variable{"AGSTAR_FIRST",
             [](Settings& s, std::string_view name, std::string_view value) {
               s.first = text::parse_integer(name, value, 0, std::numeric_limits<int>::max());
             }},
    Variable{"AGSTAR_LEAST", [](Settings& s, std::string_view name,
                                std::string_view value) { s.least_ns = parse_least(name, value); }},
    Variable{"AGSTAR_COLLECTIVES",
             [](Settings& s, std::string_view name, std::string_view value) {
               s.collectives = parse_collectives(name, value);
             }},
    Variable{"AGSTAR_ROUNDING",
             [](Settings& s, std::string_view name, std::string_view value) {
               s.any_rounding = parse_rounding(name, value);
             }},
    Variable{"AGSTAR_TOPOLOGY", [](Settings& s, std::string_view /*name*/,
                                   std::string_view value) { s.topology = value; }},
    Variable{
        "AGSTAR_PROFILE",
        [](Settings& s, std::string_view /*name*/, std::string_view value) { s.profile = value; },
        true},
    Variable{
        "AGSTAR_REPORT",
        [](Settings& s, std::string_view /*name*/, std::string_view value) { s.report = value; },
        true},
    Variable{"AGSTAR_LOG",
             [](Settings& s, std::string_view /*name*/, std::string_view value) { s.log = value; },
             true},
};

bool is_written(std::string_view name) {
  return std::ranges::any_of(variables, [&](const Variable& variable) {
    return variable.name == name && variable.is_written;
  });
}

/// Returns the lines of the environment that begin with our prefix. Relative paths of files that
/// are written become absolute: ranks may have working directories of their own, and a program may
/// change its own before it ends.
std::string own_lines() {
  std::string lines;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::size_t sign = line.find('=');
    const std::string_view name = line.substr(0, sign);
    if (name != prefix && !name.starts_with(std::string(prefix) + '_')) continue;
    if (is_written(name) && sign + 1 < line.size()) {
      const std::string path = std::filesystem::absolute(line.substr(sign + 1)).string();
      lines.append(name).append("=").append(path).push_back('\0');
    } else {
      lines.append(line).push_back('\0');
    }
  }
  return lines;
}

}  // namespace

std::string Settings::policy_of(std::size_t session) const {
  if (!policy.starts_with(random)) return policy;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t seed = text::parse_integer(
      "AGSTAR_POLICY", std::string_view(policy).substr(random.size()), 0, largest);
  const auto number = static_cast<std::int64_t>(session);
  return std::string(random) + std::to_string(seed > largest - number ? number : seed + number);
}

Settings parse_settings(std::string_view lines) {
  Settings settings;
  for (const std::string_view line : text::split(lines, '\0')) {
    if (line.empty()) continue;
    const std::size_t sign = line.find('=');
    const std::string_view name = line.substr(0, sign);
    const std::string_view value = sign == std::string_view::npos ? "" : line.substr(sign + 1);
    std::vector<std::string_view> legal;
    const Variable* found = nullptr;
    for (const Variable& variable : variables) {
      legal.push_back(variable.name);
      if (variable.name == name) found = &variable;
    }
    if (found == nullptr) throw text::unknown_name("environment", "variable of ours", name, legal);
    if (value.empty()) throw text::bad_value(name, value, "is empty: unset it");
    found->read(settings, name, value);
  }
  return settings;
}

Settings shared_settings(MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  const std::string lines = mpi::broadcast_text(rank == 0 ? own_lines() : "", 0, world);
  try {
    return parse_settings(lines);
  } catch (const text::InputError& error) {
    if (rank == 0) say(std::string(error.what()) + "; all calls are passed on");
    Settings off;
    off.mode = Mode::off;
    return off;
  }
}

void Log::open(const std::string& path, int rank) {
  if (!path.empty()) file_.make("AGSTAR_LOG", path + "." + std::to_string(rank), "");
}

void Log::line(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  file_.write(std::string(text) + "\n");
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

/// Returns the number, in the tree, of the host with the name that a rank's machine has. Throws
/// text::InputError if the tree has no such host.
int find_host(const topology::SwitchTree& tree, const std::string& name, const std::string& file) {
  const std::optional<int> host = tree.find_host(name);
  if (!host) throw text::bad_value("AGSTAR_TOPOLOGY", file, "has no host '" + name + "'");
  return *host;
}

/// Returns the text that rank 0 reads, on every rank. Throws InputError on every rank alike.
/// Collective.
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
  one_clock = is_one_node && mpi::share_steady_clock(comm.get());
  // Rank 0's time and number of cores count, so that all ranks have the same.
  std::array<std::int64_t, 2> first{mpi::steady_ns(), sysconf(_SC_NPROCESSORS_ONLN)};
  mpi::require(PMPI_Bcast(first.data(), 2, MPI_INT64_T, 0, comm.get()), "MPI_Bcast");
  start_ns = first[0];
  has_cores = is_one_node && ranks <= first[1];
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

}  // namespace gatherbench::star
