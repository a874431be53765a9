// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/policies/choices.h"
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
               policies::require_policy(name, value);
               s.policy = value;
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

}  // namespace gatherbench::star
