// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/collectives/collective.h"
#include "bench/options/options.h"
#include "formats/text/option_table.h"

// The options about --replay: what they are, and with which others they do not go.
namespace gatherbench::bench {

/// `choice` must outlive the table's values.
void add_replay(text::OptionTable& table, const collectives::Collective& collective,
                ReplayChoice& choice);

/// Throws InputError.
void require_replay_alone(const text::OptionTable& table, const Options& options);

}  // namespace gatherbench::bench
