// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "bench/native/library.h"
#include "text/input_error.h"

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

/// The library took one choice when it started, for all communicators.
void require_one(const NativeLibrary& library, const collectives::Collective& collective,
                 const std::vector<algorithms::Choice>& native) {
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
  if (library.variable.read() == library.value_of(native[0].variant)) return;
  const std::string name = library.environment_variable();
  const char* const found = std::getenv(name.c_str());
  throw text::bad_value(
      "--algorithms", value,
      fmt::format("cannot be had: this MPI library reads its choice of {} at start "
                  "only, and {} is '{}'",
                  collective.name, name, found == nullptr ? "" : found));
}

}  // namespace

NativeVariants find_native_variants(const collectives::Collective& collective) {
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  NativeVariants variants;
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
  const NativeLibrary library = *NativeLibrary::at_hand(collective);
  for (const NativeCondition& condition : library.family->conditions) {
    const auto variable = mpi::ControlVariable::find(std::string(condition.variable));
    if (!variable || condition.holds(variable->text())) continue;
    throw text::bad_value(
        "--algorithms", first->label(),
        fmt::format("cannot be had: the MPI library ignores it while its {} is '{}'",
                    condition.variable, variable->text()));
  }
  if (library.chosen_at_start_only()) require_one(library, collective, native);
}

std::string reason_unusable(const collectives::Collective& collective,
                            const algorithms::Choice& choice, int ranks) {
  if (!is_native_variant(choice)) return {};
  const std::optional<NativeLibrary> library = NativeLibrary::at_hand(collective);
  if (!library) return {};
  for (const NativeRestriction& restriction : library->family->restrictions) {
    if (!restriction.algorithm.empty() && restriction.algorithm != choice.variant) continue;
    if (restriction.allows(ranks)) continue;
    return fmt::format("the library would {}: needs {}; ranks = {}", restriction.instead,
                       restriction.needs, ranks);
  }
  return {};
}

}  // namespace gatherbench::bench
