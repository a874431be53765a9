// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

// The catalogue of names: the one source of them for programs that read results.
namespace gatherbench::allgather_schedule {

/// {"suite", "collectives", "algorithm_sets", "algorithms", "distributions", "arrival_patterns",
/// "columns", "rank_columns", "step_columns", "counter_columns", "statuses", "metadata"}, each in
/// the order of its table, with a line break at the end. Nothing in it depends on the machine or on
/// the commit.
std::string catalogue_json();

/// The same for people: a line each.
std::string catalogue_text();

/// The names that an option of this name takes ("algorithms", "distributions", "arrival"), a line
/// each. Throws InputError that names `option`.
std::string catalogue_names(std::string_view option, std::string_view kind);

/// The catalogue as docs/reference/names.md: Markdown tables of everything that has a name.
std::string reference_markdown();

}  // namespace gatherbench::allgather_schedule
