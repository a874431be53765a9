// SPDX-License-Identifier: BSD-3-Clause
#include "bench/control_variables.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "mpi/handles.h"

namespace gatherbench {
namespace {

/// Once a process, and never ended: MPICH 4.0 crashes in what follows an MPI_T_finalize. Open MPI
/// takes the tools' thread level for everybody's from then on (ompi pull request 14164), so it is
/// what MPI has already.
void begin_tools() {
  static const int code = [] {
    int level = MPI_THREAD_SINGLE;
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) MPI_Query_thread(&level);
    int provided = 0;
    return MPI_T_init_thread(level, &provided);
  }();
  require(code, "MPI_T_init_thread");
}

std::vector<NamedValue> values_of(MPI_T_enum enumeration) {
  std::array<char, 256> name{};
  int length = static_cast<int>(name.size());
  int count = 0;
  require(MPI_T_enum_get_info(enumeration, &count, name.data(), &length), "MPI_T_enum_get_info");
  std::vector<NamedValue> values;
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = static_cast<int>(name.size());
    require(MPI_T_enum_get_item(enumeration, i, &value, name.data(), &length),
            "MPI_T_enum_get_item");
    values.push_back({name.data(), value});
  }
  return values;
}

}  // namespace

std::vector<NamedValue> values_in(std::string_view description) {
  constexpr std::string_view word =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  // What the line before ends with, if it is not known where that was.
  constexpr std::string_view glued = "algorithm";
  const bool has_lines = description.find('\n') != description.npos;
  std::vector<NamedValue> values;
  for (std::size_t dash = description.find(" - "); dash != description.npos;
       dash = description.find(" - ", dash + 1)) {
    const std::size_t last = description.find_last_not_of(' ', dash);
    if (last == description.npos) continue;
    const std::size_t before = description.find_last_not_of(word, last);
    const std::size_t first = before == description.npos ? 0 : before + 1;
    if (has_lines && first > 0 && description[before] != '\n') continue;
    std::string_view name = description.substr(first, last + 1 - first);
    if (!has_lines && name.starts_with(glued)) name.remove_prefix(glued.size());
    if (!name.empty()) values.push_back({std::string(name), static_cast<int>(values.size())});
  }
  return values;
}

std::optional<ControlVariable> ControlVariable::find(const std::string& name) {
  begin_tools();
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  std::array<char, 4096> description{};
  int length = static_cast<int>(description.size());
  int verbosity = 0;
  int binding = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  require(MPI_T_cvar_get_info(index, nullptr, nullptr, &verbosity, &type, &enumeration,
                              description.data(), &length, &binding, &scope),
          "MPI_T_cvar_get_info");
  if (type != MPI_INT && type != MPI_C_BOOL && type != MPI_CHAR) return std::nullopt;
  ControlVariable variable(name);
  variable.type_ = type;
  variable.settable_ = scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
  if (enumeration != MPI_T_ENUM_NULL) {
    variable.values_ = values_of(enumeration);
  } else if (type == MPI_INT) {
    variable.values_ = values_in(description.data());
  }
  require(MPI_T_cvar_handle_alloc(index, nullptr, &variable.handle_, &variable.count_),
          "MPI_T_cvar_handle_alloc");
  return variable;
}

ControlVariable::ControlVariable(ControlVariable&& other) noexcept
    : name_(std::move(other.name_)),
      settable_(other.settable_),
      type_(other.type_),
      count_(other.count_),
      values_(std::move(other.values_)),
      handle_(std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)) {}

ControlVariable& ControlVariable::operator=(ControlVariable&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(settable_, other.settable_);
  std::swap(type_, other.type_);
  std::swap(count_, other.count_);
  std::swap(values_, other.values_);
  std::swap(handle_, other.handle_);
  return *this;
}

ControlVariable::~ControlVariable() {
  if (handle_ != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle_);
}

std::string ControlVariable::text() const {
  if (type_ == MPI_CHAR) {
    std::string text(static_cast<std::size_t>(count_) + 1, '\0');
    require(MPI_T_cvar_read(handle_, text.data()), "MPI_T_cvar_read");
    text.resize(text.find('\0'));
    return text;
  }
  const int value = read();
  const auto found = std::ranges::find(values_, value, &NamedValue::value);
  return found == values_.end() ? std::to_string(value) : found->name;
}

int ControlVariable::read() const {
  bool flag = false;
  int value = 0;
  const bool is_flag = type_ == MPI_C_BOOL;
  void* const target = is_flag ? static_cast<void*>(&flag) : &value;
  require(MPI_T_cvar_read(handle_, target), "MPI_T_cvar_read");
  return is_flag ? static_cast<int>(flag) : value;
}

void ControlVariable::write(int value) const {
  require(MPI_T_cvar_write(handle_, &value), "MPI_T_cvar_write");
}

void ControlVariable::restore(int value) const noexcept { MPI_T_cvar_write(handle_, &value); }

HeldSettings::HeldSettings(std::span<const Setting> settings) : settings_(settings) {
  for (const Setting& setting : settings_) before_.push_back(setting.variable.read());
  for (const Setting& setting : settings_) setting.variable.write(setting.value);
}

HeldSettings::~HeldSettings() {
  for (std::size_t i = 0; i < settings_.size(); ++i) settings_[i].variable.restore(before_[i]);
}

}  // namespace gatherbench
