// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/native_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "bench/native/by_environment.h"
#include "bench/native/library.h"

namespace gatherbench::bench {
namespace {

/// One key, one value.
class Info {
 public:
  Info() = default;
  Info(const char* key, const char* value) {
    mpi::require(MPI_Info_create(&handle_), "MPI_Info_create");
    mpi::require(MPI_Info_set(handle_, key, value), "MPI_Info_set");
  }
  ~Info() {
    if (handle_ != MPI_INFO_NULL) MPI_Info_free(&handle_);
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  [[nodiscard]] MPI_Info get() const { return handle_; }

 private:
  MPI_Info handle_ = MPI_INFO_NULL;
};

}  // namespace

void prepare_native_variants(const collectives::Collective& collective,
                             std::span<const algorithms::Choice> choices) {
  const std::vector<algorithms::Choice> native = select_native(choices);
  if (std::ranges::none_of(native, is_native_variant)) return;
  // Before MPI_Init nobody knows which library this is; each ignores what is another's.
  for (const NativeFamily& family : native_families()) {
    for (const EnvironmentVariable& variable : family.needed_at_start) {
      setenv(std::string(variable.name).c_str(), std::string(variable.value).c_str(), 0);
    }
    if (native.size() != 1 || family.read_at_start_only == nullptr ||
        !family.read_at_start_only(collective)) {
      continue;
    }
    const std::string name =
        fmt::format("{}{}", family.variable_prefix, family.variable(collective));
    setenv(name.c_str(), native[0].variant.c_str(), 0);
  }
  if (!mpi::why_no_control_variables().empty()) return;  // simulated: no library's choice is read
  // MPI allows this call before MPI_Init.
  const EnvironmentChoice* const row = find_environment_choice(mpi::library_version(), collective);
  if (row != nullptr) set_environment_choice(*row, native);
}

std::string find_choice_at_start(const collectives::Collective& collective,
                                 std::span<const algorithms::Choice> choices) {
  const auto chosen = std::ranges::find_if(choices, is_native_variant);
  if (chosen == choices.end()) return {};
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  const bool at_start =
      library ? library->chosen_at_start_only()
              : find_environment_choice(mpi::library_version(), collective) != nullptr;
  return at_start ? chosen->label() : std::string();
}

mpi::Communicator make_native_communicator(const collectives::Collective& collective,
                                           const algorithms::Choice& choice, MPI_Comm comm) {
  std::optional<NativeLibrary> library;
  if (is_native_variant(choice)) library = NativeLibrary::at_hand(collective);
  if (!library) return mpi::Communicator::duplicate(comm);
  const char* const key = library->family->info_key;
  const Info info = key == nullptr ? Info() : Info(key, library->family->info_value);
  std::vector<mpi::Setting> settings;
  if (!library->family->read_in_each_call && !library->chosen_at_start_only()) {
    const int value = library->value_of(choice.variant);
    settings.push_back({std::move(library->variable), value});
  }
  const mpi::ScopedSettings held(settings);
  MPI_Comm copy = MPI_COMM_NULL;
  mpi::require(MPI_Comm_dup_with_info(comm, info.get(), &copy), "MPI_Comm_dup_with_info");
  return mpi::Communicator(copy);
}

std::vector<mpi::Setting> find_native_settings(const collectives::Collective& collective,
                                               const algorithms::Choice& choice) {
  std::vector<mpi::Setting> settings;
  if (!is_native_variant(choice)) return settings;
  std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  if (!library || !library->family->read_in_each_call) return settings;
  const int value = library->value_of(choice.variant);
  settings.push_back({std::move(library->variable), value});
  for (const auto& [name, companion_value] : library->family->companions(collective)) {
    if (auto companion = mpi::ControlVariable::find(name)) {
      settings.push_back({std::move(*companion), companion_value});
    }
  }
  return settings;
}

}  // namespace gatherbench::bench
