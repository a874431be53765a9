// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "bench/native/families.h"
#include "runtime/mpi/control_variables.h"

namespace gatherbench::bench {

/// The MPI library at hand: what is known of it, and the variable that holds its choice.
struct NativeLibrary {
  const NativeFamily* family;
  mpi::ControlVariable variable;

  /// Returns the library; none if it lets no algorithm of this collective be chosen.
  static std::optional<NativeLibrary> at_hand(const collectives::Collective& collective);

  /// Returns the value of one of the variable's names.
  [[nodiscard]] int value_of(std::string_view name) const;
  /// The environment variable that sets the variable.
  [[nodiscard]] std::string environment_variable() const;
  [[nodiscard]] bool chosen_at_start_only() const { return !variable.settable(); }
};

/// Returns whether a choice is "native:NAME".
bool is_native_variant(const algorithms::Choice& choice);

/// Returns the choices that are "native" or "native:NAME".
std::vector<algorithms::Choice> select_native(std::span<const algorithms::Choice> choices);

}  // namespace gatherbench::bench
