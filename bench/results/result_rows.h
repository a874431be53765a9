// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "bench/measure/case_result.h"
#include "formats/columns.h"

namespace gatherbench::bench {

/// The lines of a case in one of the files. In the results: one for each iteration of each
/// algorithm; for one that was not timed, one with the reason. In the ranks' file: one for each
/// rank of each iteration; in the steps' file: one for each part of that rank's schedule; in the
/// counters' file: one for each counter of each host.
std::string rows_of(formats::File file, const formats::CaseKey& key, const CaseResult& result);

}  // namespace gatherbench::bench
