// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/rounds.h"

#include <algorithm>
#include <optional>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr double batch_seconds = 0.2;
constexpr double warmup_share = 0.1;  // of --max-time

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(mpi::steady_ns() - start_ns) / 1e9;
}

}  // namespace

Rounds::Rounds(const CaseSettings& settings, bool takes_turns, MPI_Comm comm)
    : settings_(settings),
      takes_turns_(takes_turns),
      comm_(comm),
      start_ns_(mpi::steady_ns()),
      learning_since_ns_(start_ns_) {}

std::int64_t Rounds::next_warmup(std::int64_t done) const {
  return agree(next(done, settings_.warmup(), warmup_share));
}

std::int64_t Rounds::next_timed(std::int64_t done, bool enough) const {
  return agree(enough ? 0 : next(done, settings_.iterations(), 1));
}

void Rounds::begin_timed() { learning_since_ns_ = mpi::steady_ns(); }

void Rounds::learn(std::int64_t done) {
  round_seconds_ = seconds_since(learning_since_ns_) / static_cast<double>(done);
}

std::int64_t Rounds::agree(std::int64_t rounds) const {
  mpi::require(MPI_Bcast(&rounds, 1, MPI_INT64_T, 0, comm_), "MPI_Bcast");
  return rounds;
}

/// Returns how many rounds come next, of `all` rounds, which may take this share of --max-time.
std::int64_t Rounds::next(std::int64_t done, std::int64_t all, double share) const {
  const std::int64_t left = all - done;
  if (left <= 0) return 0;
  const double elapsed = seconds_since(start_ns_);
  double seconds = batch_seconds;
  if (const std::optional<double> most = settings_.max_time()) {
    seconds = std::min(seconds, *most * share - elapsed);
    if (seconds <= 0 && done > 0) return 0;
  }
  return in_whole_turns(rounds_in(seconds, done, left), left, elapsed);
}

/// Returns how many rounds fit into `seconds` by the experience of the `done` ones, at least 1, and
/// at most as many again, since a few rounds tell little.
std::int64_t Rounds::rounds_in(double seconds, std::int64_t done, std::int64_t left) const {
  if (round_seconds_ <= 0 || done == 0) return 1;
  const auto most = static_cast<double>(std::min(left, done));
  return static_cast<std::int64_t>(std::clamp(seconds / round_seconds_, 1.0, most));
}

/// Returns so many rounds or more, of `left`: turns are cut short at the end alone, or for the
/// time. So are pairs of calls where a period is measured, which the first call of a batch has not.
std::int64_t Rounds::in_whole_turns(std::int64_t rounds, std::int64_t left, double elapsed) const {
  const std::int64_t least = settings_.launch.sync == Sync::none ? 2 : 1;
  const std::int64_t turn = takes_turns_ ? settings_.launch.options.order.turn : least;
  const std::int64_t whole = std::min((rounds + turn - 1) / turn * turn, left);
  const std::optional<double> most = settings_.max_time();
  const bool in_time = !most || (round_seconds_ > 0 &&
                                 elapsed + round_seconds_ * static_cast<double>(whole) <= *most);
  return in_time ? whole : rounds;
}

}  // namespace gatherbench::bench
