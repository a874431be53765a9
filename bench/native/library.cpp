// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

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

}  // namespace gatherbench::bench
