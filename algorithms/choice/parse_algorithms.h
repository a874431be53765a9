// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"

// These functions read a list of algorithms, as users write it, as the choices that it means.
namespace gatherbench::algorithms {

/// Returns this collective's algorithms of a comma-separated list of names and sets, each once, in
/// the order given. It does not check native:NAME against the library, nor the number of ranks.
/// Throws InputError that names `option`.
std::vector<Choice> parse_algorithms(
    std::string_view option, std::string_view list,
    const collectives::Collective& collective = collectives::allgather);

/// Returns the names that parse_algorithms() takes: of sets ("all", "loch2021"), then of
/// algorithms; with null, of all collectives.
std::vector<std::string_view> legal_algorithm_names(const collectives::Collective* collective);

}  // namespace gatherbench::algorithms
