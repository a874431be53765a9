// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/control_variables.h"

#include <array>

namespace gatherbench::mpi {
namespace {

/// Returns the name without the end of the previous line, which sticks to it where a library has
/// joined the lines.
std::string_view without_glued(std::string_view name) {
  // The descriptions of broadcasts have the last two.
  constexpr std::array<std::string_view, 3> glued{"algorithm", "Tree", "Allgather"};
  for (const std::string_view end : glued) {
    if (name.starts_with(end)) name.remove_prefix(end.size());
  }
  return name;
}

}  // namespace

std::vector<NamedValue> values_in(std::string_view description) {
  constexpr std::string_view word =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  const bool has_lines = description.find('\n') != description.npos;
  std::vector<NamedValue> values;
  for (std::size_t dash = description.find(" - "); dash != description.npos;
       dash = description.find(" - ", dash + 1)) {
    const std::size_t last = description.find_last_not_of(' ', dash);
    if (last == description.npos) continue;
    const std::size_t before = description.find_last_not_of(word, last);
    const std::size_t first = before == description.npos ? 0 : before + 1;
    if (has_lines && first > 0 && description[before] != '\n') continue;
    const std::string_view word_found = description.substr(first, last + 1 - first);
    const std::string_view name = has_lines ? word_found : without_glued(word_found);
    if (!name.empty()) values.push_back({std::string(name), static_cast<int>(values.size())});
  }
  return values;
}

ScopedSettings::ScopedSettings(std::span<const Setting> settings) : settings_(settings) {
  for (const Setting& setting : settings_) before_.push_back(setting.variable.read());
  for (const Setting& setting : settings_) setting.variable.write(setting.value);
}

ScopedSettings::~ScopedSettings() {
  for (std::size_t i = 0; i < settings_.size(); ++i) settings_[i].variable.restore(before_[i]);
}

}  // namespace gatherbench::mpi
