// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/duet/link.h"
#include "bench/options/address.h"

namespace gatherbench::bench {

/// Connects the two jobs that come to an address, whoever is first: that one listens.
///
/// A path: who holds the lock of its folder (flock) looks whether somebody listens there, and
/// listens if not, so two that come at once cannot both listen. What a killed job left behind, a
/// socket to which nobody listens, is removed. The path is free again as soon as both are
/// connected. HOST:PORT: a job on HOST takes the port, of which the kernel has one to give; all
/// others connect.
///
/// Throws InputError for an address that cannot be used, DuetError if nobody comes by `deadline`.
DuetLink meet(const DuetAddress& address, const Deadline& deadline);

}  // namespace gatherbench::bench
