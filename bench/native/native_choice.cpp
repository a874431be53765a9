// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/native_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

bool is_native(const algorithms::Choice& choice) {
  return choice.algorithm->calls(algorithms::LibraryCall::native);
}

}  // namespace

std::optional<NativeLibrary> NativeLibrary::at_hand(const collectives::Collective& collective) {
  for (const NativeFamily& family : native_families()) {
    auto variable = mpi::ControlVariable::find(family.variable(collective));
    if (variable && !variable->values().empty()) {
      return NativeLibrary{&family, std::move(*variable)};
    }
  }
  return std::nullopt;
}

int NativeLibrary::value_of(std::string_view name) const {
  return std::ranges::find(variable.values(), name, &mpi::NamedValue::name)->value;
}

std::string NativeLibrary::environment_variable() const {
  return fmt::format("{}{}", family->variable_prefix, variable.name());
}

bool is_native_variant(const algorithms::Choice& choice) {
  return is_native(choice) && !choice.variant.empty();
}

std::vector<algorithms::Choice> select_native(std::span<const algorithms::Choice> choices) {
  std::vector<algorithms::Choice> native;
  std::ranges::copy_if(choices, std::back_inserter(native), is_native);
  return native;
}

namespace {

// Intel MPI Library developer reference, I_MPI_ADJUST family, 2019 to 2021.14; the numbers follow
// the order of its list.
constexpr std::array intel_allgather{EnvironmentValue{"recursive_doubling", "1"},
                                     EnvironmentValue{"bruck", "2"}, EnvironmentValue{"ring", "3"},
                                     EnvironmentValue{"gatherv_bcast", "4"},
                                     EnvironmentValue{"knomial", "5"}};
constexpr std::span intel_allgatherv = std::span(intel_allgather).first<4>();
// Measured with 2021.18, by the bytes that each rank sent on each connection (TCP, 2, 3, 4, 5, 6
// and 8 ranks). No other name sent what another algorithm sends.
constexpr std::array intel_restrictions{NativeRestriction{
    "recursive_doubling",
    [](const CallShape& shape) { return std::has_single_bit(static_cast<unsigned>(shape.ranks)); },
    "a power-of-two number of ranks", "run ring instead"}};

// MVAPICH2 2.3.7, allgather_tuning.h and allgatherv_tuning.h.
constexpr std::array mvapich2_allgather{EnvironmentValue{"recursive_doubling_by_node", "1"},
                                        EnvironmentValue{"recursive_doubling", "2"},
                                        EnvironmentValue{"bruck", "3"},
                                        EnvironmentValue{"ring", "4"}};
constexpr std::array mvapich2_allgatherv{
    EnvironmentValue{"recursive_doubling", "1"}, EnvironmentValue{"bruck", "2"},
    EnvironmentValue{"ring", "3"}, EnvironmentValue{"ring_cyclic", "4"}};

// MVAPICH 3 and 4 user guides: MPICH's, and OSU's own.
constexpr std::array mvapich_allgather{EnvironmentValue{"brucks", "brucks"},
                                       EnvironmentValue{"k_brucks", "k_brucks"},
                                       EnvironmentValue{"recursive_doubling", "recursive_doubling"},
                                       EnvironmentValue{"ring", "ring"},
                                       EnvironmentValue{"recexch_doubling", "recexch_doubling"},
                                       EnvironmentValue{"recexch_halving", "recexch_halving"},
                                       EnvironmentValue{"osu_direct", "osu_direct"},
                                       EnvironmentValue{"osu_direct_spread", "osu_direct_spread"},
                                       EnvironmentValue{"osu_gather_bcast", "osu_gather_bcast"}};

constexpr std::array by_environment{
    EnvironmentChoice{"Intel(R) MPI Library", &collectives::allgather, "I_MPI_ADJUST_ALLGATHER",
                      intel_allgather, intel_restrictions},
    EnvironmentChoice{"Intel(R) MPI Library", &collectives::allgatherv, "I_MPI_ADJUST_ALLGATHERV",
                      intel_allgatherv, intel_restrictions},
    EnvironmentChoice{"MVAPICH2", &collectives::allgather, "MV2_INTER_ALLGATHER_TUNING",
                      mvapich2_allgather},
    EnvironmentChoice{"MVAPICH2", &collectives::allgatherv, "MV2_INTER_ALLGATHERV_TUNING",
                      mvapich2_allgatherv},
    EnvironmentChoice{"MVAPICH Version", &collectives::allgather, "MVP_ALLGATHER_INTRA_ALGORITHM",
                      mvapich_allgather}};

}  // namespace

const EnvironmentValue* EnvironmentChoice::find(std::string_view name) const {
  const auto found = std::ranges::find(algorithms, name, &EnvironmentValue::name);
  return found == algorithms.end() ? nullptr : &*found;
}

std::span<const EnvironmentChoice> environment_choices() { return by_environment; }

const EnvironmentChoice* find_environment_choice(std::string_view library_version,
                                                 const collectives::Collective& collective) {
  const auto* const found = std::ranges::find_if(by_environment, [&](const EnvironmentChoice& row) {
    return row.collective == &collective &&
           library_version.find(row.library) != std::string_view::npos;
  });
  return found == by_environment.end() ? nullptr : found;
}

void set_environment_choice(const EnvironmentChoice& choice,
                            std::span<const algorithms::Choice> native) {
  if (native.size() != 1) return;
  const EnvironmentValue* const found = choice.find(native[0].variant);
  if (found != nullptr) setenv(choice.variable, std::string(found->value).c_str(), 0);
}

namespace {

/// An MPI_Info with one key and its value; without them MPI_INFO_NULL.
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

namespace {

void require_known(const std::vector<std::string>& names,
                   const std::vector<algorithms::Choice>& native) {
  for (const algorithms::Choice& choice : native) {
    if (choice.variant.empty() || std::ranges::find(names, choice.variant) != names.end()) continue;
    const std::string_view plain = choice.algorithm->name;
    if (const std::string_view why = mpi::why_no_control_variables(); !why.empty()) {
      throw text::bad_value("--algorithms", choice.label(),
                            fmt::format("cannot be had: {}; legal: {}", why, plain));
    }
    if (names.empty()) {
      throw text::bad_value(
          "--algorithms", choice.label(),
          fmt::format("cannot be had: this MPI library lets no algorithm be chosen "
                      "inside a launch; legal: {}",
                      plain));
    }
    std::vector<std::string> labels;
    for (const std::string& name : names) labels.push_back(fmt::format("{}:{}", plain, name));
    const std::vector<std::string_view> legal(labels.begin(), labels.end());
    throw text::unknown_name("--algorithms", "algorithm of this MPI library", choice.label(),
                             legal);
  }
}

/// Throws InputError unless `native` is one choice, and the one that the library took, for all
/// communicators, when it started, as `is_chosen` tells. `variable`, of the environment, tells the
/// library its choice.
void require_one(const collectives::Collective& collective,
                 const std::vector<algorithms::Choice>& native, const std::string& variable,
                 const std::function<bool(std::string_view name)>& is_chosen) {
  std::vector<std::string> labels;
  for (const algorithms::Choice& choice : native) labels.push_back(choice.label());
  const std::string value = fmt::format("{}", fmt::join(labels, ","));
  if (native.size() > 1) {
    throw text::bad_value(
        "--algorithms", value,
        fmt::format("cannot share a launch: this MPI library reads its choice of {} at "
                    "start only, so one {}:NAME a launch, without {}",
                    collective.name, native[0].algorithm->name, native[0].algorithm->name));
  }
  if (is_chosen(native[0].variant)) return;
  const char* const found = std::getenv(variable.c_str());
  throw text::bad_value(
      "--algorithms", value,
      fmt::format("cannot be had: this MPI library reads its choice of {} at start "
                  "only, and {} is '{}'",
                  collective.name, variable, found == nullptr ? "" : found));
}

/// Returns what the library at hand lets be chosen by the environment alone; null: nothing.
const EnvironmentChoice* environment_choice(const collectives::Collective& collective) {
  if (!mpi::why_no_control_variables().empty()) return nullptr;
  return find_environment_choice(mpi::library_version(), collective);
}

std::span<const NativeRestriction> restrictions_of(const collectives::Collective& collective) {
  if (const auto library = NativeLibrary::at_hand(collective)) return library->family->restrictions;
  const EnvironmentChoice* const choice = environment_choice(collective);
  return choice == nullptr ? std::span<const NativeRestriction>() : choice->restrictions;
}

}  // namespace

NativeVariants find_native_variants(const collectives::Collective& collective) {
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  NativeVariants variants;
  const EnvironmentChoice* const row = library ? nullptr : environment_choice(collective);
  if (row != nullptr) {
    for (const EnvironmentValue& each : row->algorithms) {
      variants.names.emplace_back(each.name);
    }
    variants.one_a_launch = true;
  }
  if (!library) return variants;
  for (const mpi::NamedValue& value : library->variable.values()) {
    if (value.name != library->family->own_choice) variants.names.push_back(value.name);
  }
  variants.one_a_launch = library->chosen_at_start_only();
  return variants;
}

void require_native_variants(const collectives::Collective& collective,
                             std::span<const algorithms::Choice> choices) {
  const std::vector<algorithms::Choice> native = select_native(choices);
  const auto first = std::ranges::find_if(native, is_native_variant);
  if (first == native.end()) return;
  require_known(find_native_variants(collective).names, native);
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  if (!library) {
    const EnvironmentChoice& row = *environment_choice(collective);
    require_one(collective, native, row.variable, [&](std::string_view name) {
      const char* const held = std::getenv(row.variable);
      return held != nullptr && row.find(name)->value == held;
    });
    return;
  }
  for (const NativeCondition& condition : library->family->conditions) {
    const auto variable = mpi::ControlVariable::find(std::string(condition.variable));
    if (!variable || condition.holds(variable->text())) continue;
    throw text::bad_value(
        "--algorithms", first->label(),
        fmt::format("cannot be had: the MPI library ignores it while its {} is '{}'",
                    condition.variable, variable->text()));
  }
  if (!library->chosen_at_start_only()) return;
  require_one(collective, native, library->environment_variable(), [&](std::string_view name) {
    return library->variable.read() == library->value_of(name);
  });
}

std::optional<std::string> why_not(const collectives::Collective& collective,
                                   const algorithms::Choice& choice, const CallShape& shape) {
  if (!is_native_variant(choice)) return {};
  for (const NativeRestriction& restriction : restrictions_of(collective)) {
    if (!restriction.algorithm.empty() && restriction.algorithm != choice.variant) continue;
    if (restriction.kind != nullptr && restriction.kind != collective.kind) continue;
    if (restriction.allows(shape)) continue;
    return fmt::format("the library would {}: needs {}; ranks = {}", restriction.instead,
                       restriction.needs, shape.ranks);
  }
  return {};
}

}  // namespace gatherbench::bench
