// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What may be wrong with the launch itself.
namespace gatherbench::bench {

/// Throws InputError if ranks were started with different options, or as different programs of this
/// suite. Without it some would wait for ever for calls that others never make. Collective over
/// MPI_COMM_WORLD.
void require_one_command(int argc, const char* const* argv);

/// Whether a launcher says that it has started this process, or ranks share it: then rank 0 alone
/// prints. Needs no MPI.
bool may_have_company();

/// Throws InputError if this process is alone although its launcher started several: then the
/// launcher is that of another MPI library, and each process would time a collective of one rank.
void require_own_launcher();

}  // namespace gatherbench::bench
