// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "bench/native_families.h"
#include "text/input_error.h"

namespace gatherbench {
namespace {

bool is_variant(const Choice& choice) {
  return choice.algorithm->library_call == LibraryCall::allgather && !choice.variant.empty();
}

/// One key, one value.
class Info {
 public:
  Info() = default;
  Info(const char* key, const char* value) {
    require(MPI_Info_create(&handle_), "MPI_Info_create");
    require(MPI_Info_set(handle_, key, value), "MPI_Info_set");
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

/// All choices that are the library's own all-gather.
std::vector<Choice> native_among(std::span<const Choice> choices) {
  std::vector<Choice> native;
  std::ranges::copy_if(choices, std::back_inserter(native), [](const Choice& choice) {
    return choice.algorithm->library_call == LibraryCall::allgather;
  });
  return native;
}

/// What is known of the library at hand, and the variable that holds its choice.
struct Library {
  const NativeFamily* family;
  ControlVariable variable;

  [[nodiscard]] int value_of(std::string_view name) const {
    const auto& values = variable.values();
    return std::ranges::find(values, name, &NamedValue::name)->value;
  }
  [[nodiscard]] std::string in_environment() const {
    return std::string(family->environment_prefix) + variable.name();
  }
  /// A choice that is made when a communicator is, by a variable that is not settable then.
  [[nodiscard]] bool at_start_only() const { return !variable.settable(); }
};

std::optional<Library> library_at_hand(Collective collective) {
  for (const NativeFamily& family : native_families()) {
    auto variable = ControlVariable::find(family.variable(collective));
    if (!variable || variable->values().empty()) continue;
    return Library{&family, std::move(*variable)};
  }
  return std::nullopt;
}

void require_known(const std::vector<std::string>& names, const std::vector<Choice>& native) {
  for (const Choice& choice : native) {
    if (choice.variant.empty() || std::ranges::find(names, choice.variant) != names.end()) continue;
    const std::string_view plain = choice.algorithm->name;
    if (names.empty()) {
      throw bad_value("--algorithms", choice.label(),
                      fmt::format("cannot be had: this MPI library lets no algorithm be chosen "
                                  "inside a launch; legal: {}",
                                  plain));
    }
    std::vector<std::string> labels;
    for (const std::string& name : names) labels.push_back(fmt::format("{}:{}", plain, name));
    const std::vector<std::string_view> legal(labels.begin(), labels.end());
    throw unknown_name("--algorithms", "algorithm of this MPI library", choice.label(), legal);
  }
}

/// The library took one choice when it started, for all communicators.
void require_one(const Library& library, Collective collective, const std::vector<Choice>& native) {
  std::vector<std::string> labels;
  for (const Choice& choice : native) labels.push_back(choice.label());
  const std::string value = fmt::format("{}", fmt::join(labels, ","));
  if (native.size() > 1) {
    throw bad_value("--algorithms", value,
                    fmt::format("cannot share a launch: this MPI library reads its choice of {} at "
                                "start only, so one {}:NAME a launch, without {}",
                                names_of(collective).name, native[0].algorithm->name,
                                native[0].algorithm->name));
  }
  if (library.variable.read() == library.value_of(native[0].variant)) return;
  const std::string name = library.in_environment();
  const char* const found = std::getenv(name.c_str());
  throw bad_value("--algorithms", value,
                  fmt::format("cannot be had: this MPI library reads its choice of {} at start "
                              "only, and {} is '{}'",
                              names_of(collective).name, name, found == nullptr ? "" : found));
}

}  // namespace

void prepare_native_variants(Collective collective, std::span<const Choice> choices) {
  const std::vector<Choice> native = native_among(choices);
  if (std::ranges::none_of(native, is_variant)) return;
  // Open MPI's tuned component ignores the control variables without it.
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
  // It lets this one of them never be set once it has started.
  if (collective == Collective::allgatherv && native.size() == 1) {
    setenv("OMPI_MCA_coll_tuned_allgatherv_algorithm", native[0].variant.c_str(), 0);
  }
}

NativeVariants native_variants(Collective collective) {
  const std::optional<Library> library = library_at_hand(collective);
  NativeVariants variants;
  if (!library) return variants;
  for (const NamedValue& value : library->variable.values()) {
    if (value.name != library->family->own_choice) variants.names.push_back(value.name);
  }
  variants.one_a_launch = library->at_start_only();
  return variants;
}

void require_native_variants(Collective collective, std::span<const Choice> choices) {
  const std::vector<Choice> native = native_among(choices);
  const auto first = std::ranges::find_if(native, is_variant);
  if (first == native.end()) return;
  require_known(native_variants(collective).names, native);
  const Library library = *library_at_hand(collective);
  const std::string ignored_while(library.family->ignored_while);
  const auto ruler = ControlVariable::find(ignored_while);
  if (ruler && ruler->read() == library.family->ignored_value) {
    throw bad_value("--algorithms", first->label(),
                    fmt::format("cannot be had: the MPI library ignores it while its variable {} "
                                "is {}",
                                ignored_while, library.family->ignored_value));
  }
  if (library.at_start_only()) require_one(library, collective, native);
}

std::string why_not_native(Collective collective, const Choice& choice, int ranks) {
  if (!is_variant(choice)) return {};
  const std::optional<Library> library = library_at_hand(collective);
  if (!library) return {};
  for (const NativeRestriction& restriction : library->family->restrictions) {
    if (!restriction.algorithm.empty() && restriction.algorithm != choice.variant) continue;
    if (restriction.allows(ranks)) continue;
    return fmt::format("the library would {}: needs {}; ranks = {}", restriction.otherwise,
                       restriction.needs, ranks);
  }
  return {};
}

std::string native_chosen_at_start(Collective collective, std::span<const Choice> choices) {
  const auto chosen = std::ranges::find_if(choices, is_variant);
  if (chosen == choices.end() || !native_variants(collective).one_a_launch) return {};
  return chosen->label();
}

Communicator native_communicator(Collective collective, const Choice& choice, MPI_Comm comm) {
  std::optional<Library> library;
  if (is_variant(choice)) library = library_at_hand(collective);
  if (!library) return Communicator::duplicate(comm);
  const char* const key = library->family->info_key;
  const Info info = key == nullptr ? Info() : Info(key, library->family->info_value);
  std::vector<Setting> settings;
  if (!library->family->read_in_each_call && !library->at_start_only()) {
    const int value = library->value_of(choice.variant);
    settings.push_back({std::move(library->variable), value});
  }
  const HeldSettings held(settings);
  MPI_Comm copy = MPI_COMM_NULL;
  require(MPI_Comm_dup_with_info(comm, info.get(), &copy), "MPI_Comm_dup_with_info");
  return Communicator(copy);
}

std::vector<Setting> native_settings(Collective collective, const Choice& choice) {
  std::vector<Setting> settings;
  if (!is_variant(choice)) return settings;
  std::optional<Library> library = library_at_hand(collective);
  if (!library || !library->family->read_in_each_call) return settings;
  const int value = library->value_of(choice.variant);
  settings.push_back({std::move(library->variable), value});
  for (const auto& [name, companion_value] : library->family->companions(collective)) {
    if (auto companion = ControlVariable::find(name)) {
      settings.push_back({std::move(*companion), companion_value});
    }
  }
  return settings;
}

}  // namespace gatherbench
