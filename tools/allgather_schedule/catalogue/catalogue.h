// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

// The catalogue of names: the one source of them for programs that read results.
namespace gatherbench::allgather_schedule {

/// Returns the catalogue as a JSON object with a line break at the end: {"suite", "collectives",
/// "algorithm_sets", "algorithms", "star_variants", "orders", "distributions", "mappings",
/// "arrival_patterns", "columns", "rank_columns", "step_columns", "counter_columns", "statuses",
/// "metadata", "secret_words", "launch_spread"}, each in the order of its table. Nothing in it
/// depends on the machine or on the commit.
std::string catalogue_json();

/// Returns the collectives, sets of algorithms, algorithms, orders, distributions and arrival
/// patterns for people: a line each.
std::string catalogue_text();

/// Returns the kinds that catalogue_names() has names of, for people: "algorithms, orders, ...".
std::string kinds_of_names();

/// Returns the names of one of these kinds, a line each. Throws InputError that names `option` if
/// there is no such kind.
std::string catalogue_names(std::string_view option, std::string_view kind);

/// Returns the text of docs/reference/names.md: Markdown tables of names. Algorithms have a page of
/// their own.
std::string reference_markdown();

}  // namespace gatherbench::allgather_schedule
