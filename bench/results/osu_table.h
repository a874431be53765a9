// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/measure/measure.h"
#include "bench/options/options.h"

// Standard output in OSU's format, exactly, so that what parses osu_allgather parses this.
namespace gatherbench::bench {

/// Everything above the rows: an empty line, the title, what OSU says of the datatype, our notes as
/// further comment lines, and the column titles. `what` names algorithm, ranks and so on.
std::string osu_header(const Options& options, const std::string& what,
                       std::span<const std::string> notes);

/// One size's row.
std::string osu_row(const Options& options, std::int64_t bytes,
                    std::span<const formats::Iteration> iterations);

}  // namespace gatherbench::bench
