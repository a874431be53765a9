// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

#include "bench/native/by_environment.h"
#include "bench/native/library.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
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

/// The library took one choice when it started, for all communicators: whether it is that of
/// `native`, if that is one, by what `variable` holds.
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
  const EnvironmentChoice* const by_environment =
      library ? nullptr : environment_choice(collective);
  if (by_environment != nullptr) {
    for (const EnvironmentValue& each : by_environment->algorithms) {
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
