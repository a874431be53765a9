// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "bench/measure/case_result.h"
#include "formats/columns.h"

namespace gatherbench::bench {

/// Returns the lines of a case in one of the files. In the results there is a line for each
/// iteration of each algorithm; an algorithm that was not timed has one line, with the reason. The
/// ranks' file has a line for each rank of each iteration, the steps' file one for each part of
/// that rank's schedule, and the counters' file one for each counter of each host.
std::string rows_of(formats::File file, const formats::CaseKey& key, const CaseResult& result);

}  // namespace gatherbench::bench
