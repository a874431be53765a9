// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/turns.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/host/watchdog.h"

namespace gatherbench::bench {
namespace {

constexpr std::chrono::microseconds nap{50};

/// Makes an error that names the case, and says what is safe so far.
std::runtime_error failure(const std::string& partner, std::string_view what) {
  return std::runtime_error(fmt::format("{} {}{}", partner, what, Watchdog::activity()));
}

}  // namespace

int broadcast_quietly(int value, MPI_Comm comm) {
  const int rank = mpi::rank_of(comm);
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::require(MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request), "MPI_Ibcast");
  for (;;) {
    int done = 0;
    mpi::require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) break;
    if (rank != 0) std::this_thread::sleep_for(nap);
  }
  Watchdog::beat();
  return value;
}

Turns::Turns(DuetLink link, bool begins, std::string partner, double timeout, MPI_Comm world)
    : link_(std::move(link)),
      begins_(begins),
      partner_(std::move(partner)),
      timeout_(timeout),
      comm_(mpi::Communicator::duplicate(world)),
      rank_(comm_.rank()) {}

void Turns::wait_for_first() {
  if (rank_ == 0 && !begins_) take();
  broadcast_quietly(0, comm_.get());
}

void Turns::go_to(std::int64_t place) {
  place_ = place;
  round_ = 0;
  exchange();
}

void Turns::next_round() {
  ++round_;
  exchange();
}

void Turns::exchange() {
  int behind = 1;
  while (behind != 0) {
    // The turn is given when all ranks are done, not when rank 0 is.
    mpi::require(MPI_Barrier(comm_.get()), "MPI_Barrier");
    if (rank_ == 0) {
      if (!give()) throw failure(partner_, "has ended");
      behind = take() ? 0 : 1;
    }
    behind = broadcast_quietly(behind, comm_.get());
  }
}

void Turns::leave() {
  place_ = std::numeric_limits<std::int64_t>::max();  // farther than any case
  mpi::require(MPI_Barrier(comm_.get()), "MPI_Barrier");
  if (rank_ == 0) give();  // or it has left before
}

bool Turns::give() { return link_.send(fmt::format("{} {}\n", place_, round_)); }

/// Waits for the turn, and returns whether the partner is as far as this job is. Throws if it is
/// silent, has ended, or is in another round.
bool Turns::take() {
  std::string line;
  try {
    line = link_.receive_line(Deadline(timeout_));
  } catch (const DuetError& error) {
    throw failure(partner_, error.what());
  }
  long long place = 0;
  long long round = 0;
  if (std::sscanf(line.c_str(), "%lld %lld", &place, &round) != 2) {
    throw failure(partner_, fmt::format("says '{}' instead of a turn", line));
  }
  // The job that begins hears of the same round, the other one of the next.
  if (place == place_ && round != round_ + (begins_ ? 0 : 1)) {
    throw failure(partner_, fmt::format("is in round {}, this job in {}", round, round_));
  }
  return place >= place_;
}

}  // namespace gatherbench::bench
