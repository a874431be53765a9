// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/cpu_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <utility>

namespace gatherbench::topology {
namespace {

/// Returns the text before the colon and the text behind it: "model name" and "AMD EPYC 7763" of
/// "model name : AMD EPYC 7763". Both are empty if there is no colon.
std::pair<std::string, std::string> key_and_value(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {};
  const std::size_t key_end = line.find_last_not_of(" \t", colon - (colon > 0 ? 1 : 0));
  const std::size_t value = line.find_first_not_of(" \t", colon + 1);
  if (value == line.npos) return {line.substr(0, key_end + 1), ""};
  // Some processors' names are filled up with blanks.
  const std::size_t value_end = line.find_last_not_of(" \t") + 1;
  return {line.substr(0, key_end + 1), line.substr(value, value_end - value)};
}

}  // namespace

std::string read_cpu_model(const std::filesystem::path& cpuinfo) {
  constexpr std::array keys{"model name", "Model Name", "cpu", "uarch"};
  std::ifstream stream(cpuinfo);
  std::set<std::string> models;
  std::set<std::string> arm;
  std::string implementer;
  for (std::string line; std::getline(stream, line);) {
    const auto [key, value] = key_and_value(line);
    if (value.empty()) continue;
    if (std::ranges::find(keys, key) != keys.end()) models.insert(value);
    if (key == "CPU implementer") implementer = value;
    if (key == "CPU part") arm.insert(fmt::format("implementer {} part {}", implementer, value));
  }
  return fmt::format("{}", fmt::join(models.empty() ? arm : models, ", "));
}

}  // namespace gatherbench::topology
