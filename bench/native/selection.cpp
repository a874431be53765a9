// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/selection.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

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

void prepare_native_variants(Collective collective, std::span<const algorithms::Choice> choices) {
  const std::vector<algorithms::Choice> native = native_among(choices);
  if (std::ranges::none_of(native, is_native_variant)) return;
  // Open MPI's tuned component ignores the control variables without it.
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
  // It lets this one of them never be set once it has started.
  if (collective == Collective::allgatherv && native.size() == 1) {
    setenv("OMPI_MCA_coll_tuned_allgatherv_algorithm", native[0].variant.c_str(), 0);
  }
}

std::string native_chosen_at_start(Collective collective,
                                   std::span<const algorithms::Choice> choices) {
  const auto chosen = std::ranges::find_if(choices, is_native_variant);
  if (chosen == choices.end()) return {};
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  return library && library->chosen_at_start_only() ? chosen->label() : std::string();
}

mpi::Communicator native_communicator(Collective collective, const algorithms::Choice& choice,
                                      MPI_Comm comm) {
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
  const mpi::HeldSettings held(settings);
  MPI_Comm copy = MPI_COMM_NULL;
  mpi::require(MPI_Comm_dup_with_info(comm, info.get(), &copy), "MPI_Comm_dup_with_info");
  return mpi::Communicator(copy);
}

std::vector<mpi::Setting> native_settings(Collective collective, const algorithms::Choice& choice) {
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
