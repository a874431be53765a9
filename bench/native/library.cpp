// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gatherbench {
namespace {

bool is_native(const Choice& choice) {
  return choice.algorithm->library_call == LibraryCall::allgather;
}

}  // namespace

std::optional<NativeLibrary> NativeLibrary::at_hand(Collective collective) {
  for (const NativeFamily& family : native_families()) {
    auto variable = ControlVariable::find(family.variable(collective));
    if (variable && !variable->values().empty()) {
      return NativeLibrary{&family, std::move(*variable)};
    }
  }
  return std::nullopt;
}

int NativeLibrary::value_of(std::string_view name) const {
  return std::ranges::find(variable.values(), name, &NamedValue::name)->value;
}

std::string NativeLibrary::in_environment() const {
  return std::string(family->environment_prefix) + variable.name();
}

bool is_native_variant(const Choice& choice) {
  return is_native(choice) && !choice.variant.empty();
}

std::vector<Choice> native_among(std::span<const Choice> choices) {
  std::vector<Choice> native;
  std::ranges::copy_if(choices, std::back_inserter(native), is_native);
  return native;
}

}  // namespace gatherbench
