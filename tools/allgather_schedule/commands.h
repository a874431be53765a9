// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "formats/text/option_table.h"
#include "tools/allgather_schedule/common/common.h"

// The commands of allgather_schedule, each in a file of its name.
namespace gatherbench::allgather_schedule {

/// Proves algorithms; exit code 1 if one is faulty.
Command add_prove_command(text::OptionTable& program);

/// Prints who sends what to whom in each step.
Command add_show_command(text::OptionTable& program);

/// Prices algorithms by a model, as CSV.
Command add_cost_command(text::OptionTable& program);

/// Computes by a model when ranks leave, as a result file.
Command add_time_command(text::OptionTable& program);

/// Prints the node of every rank under mappings, as CSV.
Command add_mapping_command(text::OptionTable& program);

/// Prints how much of each step stays within the nodes, as CSV.
Command add_locality_command(text::OptionTable& program);

/// Prints the component rings of each step, as CSV.
Command add_rings_command(text::OptionTable& program);

/// Prints the block sizes of distributions, as CSV.
Command add_distributions_command(text::OptionTable& program);

/// Prints when ranks arrive under arrival patterns, as CSV.
Command add_arrivals_command(text::OptionTable& program);

/// Prints what the suite has: collectives, algorithms, distributions, arrival patterns.
Command add_catalogue_command(text::OptionTable& program);

}  // namespace gatherbench::allgather_schedule
