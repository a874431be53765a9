// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "algorithms/choice/choice.h"

// From a word of a list of algorithms to the choice that it means.
namespace gatherbench::algorithms {

/// What stands before a policy, in "adaptive:policy=agstar".
inline constexpr std::string_view policy_key = "policy=";

/// Reads "NAME", "NAME@ORDER" or "NAME:REST" of an algorithm of the collective. Throws InputError
/// that names `option`.
[[nodiscard]] Choice parse_choice(std::string_view option, std::string_view item,
                                  const collectives::Collective& collective);

}  // namespace gatherbench::algorithms
