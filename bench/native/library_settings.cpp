// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "bench/native/families.h"
#include "formats/fnv1a.h"
#include "formats/text/parse.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view open_mpi_prefix = "OMPI_MCA_";
// Open MPI 4.1 and 5.0: files that are read in this order, and one before them that overrules the
// environment. MPI_T has their names.
constexpr const char* open_mpi_files = "mca_base_param_files";
constexpr const char* open_mpi_override = "mca_base_override_param_file";
// Further files that libraries read by their names: UCX 1.14's and UCC 1.1's, in the home and the
// current folder, and MVAPICH2's.
constexpr std::array home_files{"ucx.conf", "ucc.conf", ".mvapich2.conf"};
constexpr std::array system_files{"/etc/ucx/ucx.conf", "/etc/mvapich2.conf"};

std::optional<std::string> read(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::uint64_t checksum(std::string_view text) {
  formats::Fnv1a add;
  add(text);
  return add.value();
}

std::string with_checksum(const std::string& value) {
  const std::optional<std::string> said = value.empty() ? std::nullopt : read(value);
  return said ? fmt::format("{}({:016x})", value, checksum(*said)) : value;
}

std::optional<std::string> value_of(const char* variable) {
  const auto found = mpi::ControlVariable::find(variable);
  if (!found) return std::nullopt;
  return found->text();
}

/// Returns the paths in a list. Open MPI has commas between them, 4.0 and earlier colons.
std::vector<fs::path> paths_in(std::string_view text) {
  std::vector<fs::path> paths;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(",:");
    if (end != 0) paths.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return paths;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

void add_files_read_by_name(LibrarySettings& settings) {
  std::vector<fs::path> files(system_files.begin(), system_files.end());
  for (const char* const name : home_files) {
    if (const char* const home = std::getenv("HOME")) files.push_back(fs::path(home) / name);
  }
  files.emplace_back("ucx.conf");
  for (const fs::path& file : files) {
    if (read(file)) settings.emplace(file.string(), file.string());
  }
}

}  // namespace

LibrarySettings settings_in(std::span<const char* const> environment) {
  LibrarySettings settings;
  for (const std::string_view entry : environment) {
    const std::size_t end = entry.find('=');
    if (end == std::string_view::npos || !steers_calls(entry.substr(0, end))) continue;
    settings.emplace(entry.substr(0, end), entry.substr(end + 1));
  }
  return settings;
}

LibrarySettings settings_in_environment() {
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  return settings_in({environ, count});
}

void add_parameter_files(LibrarySettings& settings, std::string_view prefix,
                         std::span<const fs::path> files) {
  for (const fs::path& file : files) {
    const std::optional<std::string> said = read(file);
    if (!said) continue;
    for (std::string_view line : text::split(*said, '\n')) {
      line = trimmed(line);
      if (line.starts_with('#')) continue;
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string name = fmt::format("{}{}", prefix, trimmed(line.substr(0, equals)));
      if (steers_calls(name)) settings.emplace(name, trimmed(line.substr(equals + 1)));
    }
  }
}

std::string text_of(const LibrarySettings& settings,
                    const std::function<std::optional<std::string>(const std::string&)>& in_force) {
  std::string text;
  for (const auto& [name, value] : settings) {
    if (!text.empty()) text += ' ';
    if (name != value) text += name + '=';  // else it is a file that no variable names
    text += with_checksum(in_force(name).value_or(value));
  }
  return text.empty() ? std::string(no_settings) : text;
}

std::string describe_library_settings(LibrarySettings environment) {
  // The settings are of the library that a simulation replaces.
  if (mpi::rank_model().one_process) return std::string(no_settings);
  if (const auto files = value_of(open_mpi_files)) {
    if (const auto first = value_of(open_mpi_override)) {
      LibrarySettings overruling;
      add_parameter_files(overruling, open_mpi_prefix, paths_in(*first));
      overruling.merge(environment);
      environment = std::move(overruling);
    }
    add_parameter_files(environment, open_mpi_prefix, paths_in(*files));
  }
  add_files_read_by_name(environment);
  return text_of(environment, [](const std::string& name) {
    const bool is_open_mpis = name.starts_with(open_mpi_prefix);
    return value_of(name.substr(is_open_mpis ? open_mpi_prefix.size() : 0).c_str());
  });
}

}  // namespace gatherbench::bench
