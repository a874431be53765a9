// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/trace/trace_file.h"

namespace gatherbench::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t default_records = 65'536;   // of 48 bytes in memory
constexpr std::size_t default_most = 40'000'000;  // some 300 MB a rank
constexpr std::size_t largest_sample = 1'000'000;

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

/// Returns a variable's number, from 1 to `most`. If it has none, says so and returns `otherwise`.
std::size_t number_of(const char* name, const char* unit, std::size_t most, std::size_t otherwise,
                      bool speak) {
  const std::string text = variable(name);
  if (text.empty()) return otherwise;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && number > 0 && number <= most) return number;
  if (speak) {
    say(std::string(name) + "='" + text + "' is no number of " + unit + " from 1 to " +
        std::to_string(most) + "; " + std::to_string(otherwise) + " is taken");
  }
  return otherwise;
}

}  // namespace

std::size_t buffer_records(bool speak) {
  return number_of("AGTRACE_BUFFER", "records", std::size_t{1} << 32, default_records, speak);
}

std::size_t most_records(bool speak) {
  return number_of("AGTRACE_LIMIT", "records", std::size_t{1} << 48, default_most, speak);
}

std::uint64_t shared_sample(MPI_Comm world) {
  std::uint64_t sample = 1;
  if (mpi::rank_of(world) == 0) {
    sample = number_of("AGTRACE_SAMPLE", "calls", largest_sample, 1, true);
  }
  mpi::require(PMPI_Bcast(&sample, 1, MPI_UINT64_T, 0, world), "MPI_Bcast");
  return sample;
}

std::string shared_directory(MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  std::array<char, 4096> shared{};
  if (rank == 0) {
    const std::string asked = variable("AGTRACE_DIR");
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
  int shared = is_one_node && variable("AGTRACE_SYNC") != "always" ? 1 : 0;
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
