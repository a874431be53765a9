// SPDX-License-Identifier: BSD-3-Clause
//
// Control variables by MPI_T, where the MPI library has it.
#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {
namespace {

/// Returns the thread level that MPI has already. The tools ask for the same one, since Open MPI
/// takes theirs for everybody's from then on (ompi pull request 14164).
int level_of_mpi() {
  int level = MPI_THREAD_SINGLE;
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Query_thread(&level);
  return level;
}

/// Initialises the tools interface, once in a process. It is never ended: MPICH 4.0 crashes in what
/// follows an MPI_T_finalize.
void begin_tools() {
  static const int code = [] {
    int provided = 0;
    return MPI_T_init_thread(level_of_mpi(), &provided);
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

struct ControlVariable::Handle {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;

  Handle() = default;
  ~Handle() {
    if (handle != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_handle_free(&handle);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

std::string_view why_no_control_variables() { return {}; }

std::vector<std::string> control_categories() {
  // This is called for Open MPI only, and the tools interface is ended again: while tools are
  // about, Open MPI keeps components open at its end, and what these write then (coll_monitoring,
  // pml_monitoring) is never written.
  int provided = 0;
  require(MPI_T_init_thread(level_of_mpi(), &provided), "MPI_T_init_thread");
  int count = 0;
  require(MPI_T_category_get_num(&count), "MPI_T_category_get_num");
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    std::array<char, 256> name{};
    int length = static_cast<int>(name.size());
    std::array<char, 1> description{};  // MPICH wants room for it
    int description_length = static_cast<int>(description.size());
    int variables = 0;
    int counters = 0;
    int categories = 0;
    // A category that is no longer there is no error: Open MPI keeps the numbers of the others.
    const int code =
        MPI_T_category_get_info(i, name.data(), &length, description.data(), &description_length,
                                &variables, &counters, &categories);
    if (code == MPI_SUCCESS && variables > 0) names.emplace_back(name.data());
  }
  require(MPI_T_finalize(), "MPI_T_finalize");
  return names;
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
  variable.handle_ = std::make_unique<Handle>();
  require(MPI_T_cvar_handle_alloc(index, nullptr, &variable.handle_->handle, &variable.count_),
          "MPI_T_cvar_handle_alloc");
  return variable;
}

ControlVariable::ControlVariable(std::string name) : name_(std::move(name)) {}
ControlVariable::ControlVariable(ControlVariable&& other) noexcept = default;
ControlVariable& ControlVariable::operator=(ControlVariable&& other) noexcept = default;
ControlVariable::~ControlVariable() = default;

std::string ControlVariable::text() const {
  if (type_ == MPI_CHAR) {
    std::string text(static_cast<std::size_t>(count_) + 1, '\0');
    require(MPI_T_cvar_read(handle_->handle, text.data()), "MPI_T_cvar_read");
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
  require(MPI_T_cvar_read(handle_->handle, target), "MPI_T_cvar_read");
  return is_flag ? static_cast<int>(flag) : value;
}

void ControlVariable::write(int value) const {
  require(MPI_T_cvar_write(handle_->handle, &value), "MPI_T_cvar_write");
}

void ControlVariable::restore(int value) const noexcept {
  MPI_T_cvar_write(handle_->handle, &value);
}

}  // namespace gatherbench::mpi
