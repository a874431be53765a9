// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "bench/options/options.h"
#include "formats/row.h"

namespace gatherbench::bench {

/// Bytes that a rank is taken to receive in a second, for an estimate: what a core of a cluster of
/// 100 Gbit/s and some ten ranks a node has; memory is ten times as fast.
constexpr double expected_bytes_a_second = 1e9;
/// A case that is expected to take longer has to be asked for with its length.
constexpr double longest_unasked_s = 1000;

/// Throws InputError, with the estimate, if the case would take very long because of its size and
/// the user has not said how long cases are: neither --iterations nor --max-time nor --precision.
/// `waited_s`: what ranks pass in a call without communicating.
void require_expected_time(const Options& options, const formats::CaseKey& one,
                           std::size_t algorithms, double waited_s = 0);

}  // namespace gatherbench::bench
