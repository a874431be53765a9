// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "bench/duet/link.h"
#include "bench/duet/turns.h"
#include "bench/options/address.h"
#include "formats/metadata.h"

namespace gatherbench::bench {

/// The greeting that a job sends to its partner before they begin.
struct DuetHello {
  std::string name = {};
  std::string new_pair = {};      ///< drawn at random; who has the smaller one begins
  std::string resumed_pair = {};  ///< the pair of the file that --resume goes on with; empty: none
  std::size_t finished = 0;       ///< cases in that file
  formats::Metadata must_agree = {};
  std::string seed = {};
  bool seed_is_fixed = false;  ///< else the partner's will do
};

/// The terms on which both agree when they have greeted each other: the same on both sides.
struct DuetTerms {
  std::string partner;
  std::string pair;      ///< tells which two files belong together
  bool begins;           ///< this job has the first turn, the partner waits
  std::size_t finished;  ///< cases that both files hold
  std::string seed;      ///< a fixed one, else of who begins
};

/// Writes a greeting as lines, the last one empty.
std::string format_hello(const DuetHello& hello);

/// Reads the partner's greeting. Throws DuetError, and InputError if what is there is no partner.
DuetHello receive_hello(DuetLink& link, const Deadline& deadline);

/// Returns the terms on which both agree. Throws InputError that names what differs. `value` is
/// that of --duet, for the message.
DuetTerms agree(std::string_view value, const DuetHello& own, const DuetHello& partner);

/// Connects the two jobs that come to an address; the job that comes first listens there.
///
/// A path: the job that holds the lock of the path's folder (flock) looks whether somebody listens
/// at the path, and listens there itself if not, so two that come at once cannot both listen. What
/// a killed job left behind, a socket at which nobody listens, is removed. The path is free again
/// as soon as both are connected. HOST:PORT: a job on HOST takes the port, which the kernel gives
/// only once; all others connect.
///
/// Throws InputError for an address that cannot be used, DuetError if nobody comes by `deadline`.
DuetLink meet(const DuetAddress& address, const Deadline& deadline);

/// A job's side of a duet, or that there is none.
struct Duet {
  Turns turns;
  formats::Metadata metadata = {};  ///< of the duet, for the result file; on rank 0
  std::string seed = {};            ///< the one that both take; on rank 0
  /// The finished cases that both files hold; on rank 0. Without a duet there is no limit.
  std::size_t max_cases = std::numeric_limits<std::size_t>::max();
};

/// Waits for the partner, up to `timeout` seconds, and finds out whether the two are to do the
/// same; no file has been touched then. Of `own`, this job's hello, the name and the new pair are
/// filled in here; the rest is rank 0's. Throws InputError on every rank alike, std::runtime_error
/// on rank 0 if no partner comes. Collective over `world`.
Duet join_duet(const DuetAddress& address, DuetHello own, double timeout, MPI_Comm world);

}  // namespace gatherbench::bench
