// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/trace/trace_file.h"

namespace gatherbench::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* directory_name = "AGTRACE_DIR";
constexpr const char* buffer_name = "AGTRACE_BUFFER";
constexpr const char* sample_name = "AGTRACE_SAMPLE";
constexpr const char* limit_name = "AGTRACE_LIMIT";
constexpr const char* synchronise_name = "AGTRACE_SYNC";
constexpr std::array<std::string_view, 5> names{directory_name, buffer_name, sample_name,
                                                limit_name, synchronise_name};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string default_directory() {
  for (const char* job : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
    if (const std::string number = variable(job); !number.empty()) return "agtrace." + number;
  }
  return "agtrace." + std::to_string(getpid());
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// Tells of each variable that begins like ours and is none.
void say_unknown_names() {
  std::string legal;
  for (const std::string_view name : names) legal.append(legal.empty() ? "" : ", ").append(name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::string_view name = line.substr(0, line.find('='));
    if (!name.starts_with("AGTRACE_") || std::ranges::find(names, name) != names.end()) continue;
    say("environment: '" + std::string(name) + "' is no variable of ours; legal: " + legal +
        "; it is ignored");
  }
}

/// Takes a variable's number, from 1 to `most`, into `number`. If it has none, says so and leaves
/// `number` as it is.
void read_number(const char* name, const char* unit, std::uint64_t most, std::uint64_t& number) {
  const std::string text = variable(name);
  if (text.empty()) return;
  std::uint64_t found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && found > 0 && found <= most) {
    number = found;
  } else {
    say(std::string(name) + "='" + text + "' is no number of " + unit + " from 1 to " +
        std::to_string(most) + "; " + std::to_string(number) + " is taken");
  }
}

Settings own_settings() {
  Settings settings;
  say_unknown_names();
  read_number(buffer_name, "records", std::uint64_t{1} << 32, settings.buffer_records);
  read_number(limit_name, "records", std::uint64_t{1} << 48, settings.most_records);
  read_number(sample_name, "calls", 1'000'000, settings.sample);
  const std::string synchronise = variable(synchronise_name);
  settings.always_synchronise = synchronise == "always";
  if (!synchronise.empty() && synchronise != "auto" && synchronise != "always") {
    say(std::string(synchronise_name) + "='" + synchronise +
        "' is neither auto nor always; auto is taken");
  }
  return settings;
}

/// Removes the slashes at the end of a path: a number behind them would name a file within the
/// directory.
std::string without_last_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

Settings shared_settings(MPI_Comm world) {
  Settings settings;
  if (mpi::rank_of(world) == 0) settings = own_settings();
  mpi::require(PMPI_Bcast(&settings, sizeof settings, MPI_BYTE, 0, world), "MPI_Bcast");
  return settings;
}

std::string shared_directory(MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  std::array<char, 4096> shared{};
  if (rank == 0) {
    const std::string asked = without_last_slashes(variable(directory_name));
    const std::string wanted = asked.empty() ? default_directory() : asked;
    try {
      // Ranks may have working directories of their own, and a program may change its own.
      const std::string made = fs::absolute(make_new_directory(wanted)).string();
      if (made.size() >= shared.size()) throw std::runtime_error("'" + made + "' is too long");
      if (made != fs::absolute(wanted)) {
        say("'" + wanted + "' exists; this trace is in '" + made + "'");
      }
      std::memcpy(shared.data(), made.data(), made.size());
    } catch (const std::exception& error) {
      say(std::string(error.what()) + "; nothing is traced");
    }
  }
  const auto bytes = static_cast<int>(shared.size());
  mpi::require(PMPI_Bcast(shared.data(), bytes, MPI_CHAR, 0, world), "MPI_Bcast");
  std::string directory = shared.data();
  // A node that does not share rank 0's file system needs the directory, too.
  if (rank != 0 && !directory.empty()) mkdir(directory.c_str(), 0777);
  return directory;
}

bool share_a_clock(MPI_Comm world) {
  const bool is_one_node = mpi::Communicator::of_node(world).size() == mpi::size_of(world);
  int shared = is_one_node ? 1 : 0;
  mpi::require(PMPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, world), "MPI_Allreduce");
  return shared != 0 && mpi::share_steady_clock(world);
}

std::string path_of_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(length < 0 ? 0 : length)};
}

std::vector<std::pair<std::string, std::string>> describe_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {{"host", host.data()},           {"process", std::to_string(getpid())},
          {"program", path_of_program()},  {"command", command_line()},
          {"mpi", mpi::library_version()}, {"started", utc_now()}};
}

}  // namespace gatherbench::trace
