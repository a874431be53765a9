// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/star.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace gatherbench::policies {
namespace {

// The comments have Faraj's names where these are others. His "ring" is no logical ring: in step i
// every rank sends its block to the rank i places further on.
constexpr std::array allgathers{
    StarAlgorithm{.name = "linear", .group = 1},                   // simple
    StarAlgorithm{.name = "recursive_doubling", .group = 2},       // rdb
    StarAlgorithm{.name = "mesh2d", .group = 2},                   // 2D mesh
    StarAlgorithm{.name = "mesh3d", .group = 2},                   // 3D mesh
    StarAlgorithm{.name = "bruck", .group = 2},                    //
    StarAlgorithm{.name = "shift", .group = 3},                    // ring
    StarAlgorithm{.name = "pair", .group = 3},                     //
    StarAlgorithm{.name = "shift_light_barrier", .group = 4},      // ring with light barrier
    StarAlgorithm{.name = "pair_light_barrier", .group = 4},       //
    StarAlgorithm{.name = "shift_mpi_barrier", .group = 5},        // ring with MPI barrier
    StarAlgorithm{.name = "pair_mpi_barrier", .group = 5},         //
    StarAlgorithm{.name = "topology_ring", .group = 6},            // TSLR: logical ring by topology
    StarAlgorithm{.name = "ring", .group = 6, .stands_in = true},  // LR, logical ring
};

constexpr std::int64_t small_bytes = 256;
constexpr std::array alltoalls{
    StarAlgorithm{.name = "linear", .group = 1},  // simple
    StarAlgorithm{.name = "recursive_doubling", .group = 2, .most_bytes = small_bytes},
    StarAlgorithm{.name = "mesh2d", .group = 2, .most_bytes = small_bytes},
    StarAlgorithm{.name = "mesh3d", .group = 2, .most_bytes = small_bytes},
    StarAlgorithm{.name = "bruck", .group = 2, .most_bytes = small_bytes},
    StarAlgorithm{.name = "shift", .group = 3},
    StarAlgorithm{.name = "pair", .group = 3},
    StarAlgorithm{.name = "shift_light_barrier", .group = 4},
    StarAlgorithm{.name = "pair_light_barrier", .group = 4},
    StarAlgorithm{.name = "shift_mpi_barrier", .group = 5},
    StarAlgorithm{.name = "pair_mpi_barrier", .group = 5},
    StarAlgorithm{.name = "topology_phases_sender", .group = 6},
    StarAlgorithm{.name = "topology_phases_receiver", .group = 6},
};

constexpr std::array allreduces{
    // An all-gather, and each rank reduces by itself.
    StarAlgorithm{.name = "allgather_reduce:inner=bruck_in_place", .group = 1},
    StarAlgorithm{.name = "allgather_reduce:inner=mesh2d", .group = 1},
    StarAlgorithm{.name = "allgather_reduce:inner=mesh3d", .group = 1},
    StarAlgorithm{.name = "allgather_reduce:inner=recursive_doubling", .group = 1},
    StarAlgorithm{.name = "allgather_reduce:inner=shift", .group = 1},
    // Rab1-x
    StarAlgorithm{.name = "rabenseifner:inner=linear", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=mesh2d", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=mesh3d", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=recursive_doubling", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=bruck_in_place", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=shift", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=shift_light_barrier", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=shift_mpi_barrier", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=topology_ring", .group = 2},
    StarAlgorithm{.name = "rabenseifner:inner=ring", .group = 2, .stands_in = true},
    // Rab2-(x, y)
    StarAlgorithm{.name = "alltoall_allgather:inner=topology_ring:scatter=shift", .group = 3},
    StarAlgorithm{
        .name = "alltoall_allgather:inner=ring:scatter=shift", .group = 3, .stands_in = true},
    StarAlgorithm{.name = "alltoall_allgather:inner=topology_ring:scatter=shift_light_barrier",
                  .group = 3},
    StarAlgorithm{.name = "alltoall_allgather:inner=ring:scatter=shift_light_barrier",
                  .group = 3,
                  .stands_in = true},
    StarAlgorithm{.name = "alltoall_allgather:inner=topology_ring:scatter=shift_mpi_barrier",
                  .group = 3},
    StarAlgorithm{.name = "alltoall_allgather:inner=ring:scatter=shift_mpi_barrier",
                  .group = 3,
                  .stands_in = true},
    StarAlgorithm{.name = "alltoall_allgather:inner=shift:scatter=shift", .group = 3},
    StarAlgorithm{
        .name = "alltoall_allgather:inner=shift_light_barrier:scatter=shift_light_barrier",
        .group = 3},
    StarAlgorithm{.name = "alltoall_allgather:inner=shift_mpi_barrier:scatter=shift_mpi_barrier",
                  .group = 3},
};

/// Returns the group of each candidate; without `grouping`, each has a group of its own.
std::vector<std::size_t> groups_of(const std::vector<Candidate>& candidates, bool grouping) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    groups.push_back(grouping ? candidates[i].group : i);
  }
  return groups;
}

std::int64_t rounded_mean(std::int64_t sum, std::int64_t count) {
  return (sum + count / 2) / count;
}

constexpr std::array bcasts{
    StarAlgorithm{.name = "flat", .group = 1},               // flat tree
    StarAlgorithm{.name = "binomial", .group = 2},           //
    StarAlgorithm{.name = "scatter_allgather", .group = 3},  //
    StarAlgorithm{.name = "topology_linear", .group = 4},    // pipelined linear tree
    StarAlgorithm{.name = "linear_pipeline", .group = 4, .stands_in = true},
    StarAlgorithm{.name = "topology_binary", .group = 5},  // pipelined binary tree
    StarAlgorithm{.name = "binary", .group = 5, .stands_in = true},
};

constexpr std::array reduces{
    StarAlgorithm{.name = "binomial", .group = 1},
    StarAlgorithm{.name = "butterfly", .group = 2},        // MPICH Rab
    StarAlgorithm{.name = "linear_pipeline", .group = 3},  // pipelined linear tree
};

}  // namespace

std::span<const StarAlgorithm> star_repository(const collectives::Collective& collective) {
  if (collective.gathers()) return allgathers;
  if (collective.kind == &collectives::alltoall) return alltoalls;
  if (collective.kind == &collectives::allreduce) return allreduces;
  if (collective.kind == &collectives::bcast) return bcasts;
  if (collective.kind == &collectives::reduce) return reduces;
  return {};
}

std::vector<std::size_t> star_candidates(std::span<const Candidate> candidates) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].star_place) found.push_back(i);
  }
  std::ranges::sort(found, {}, [&](std::size_t i) { return *candidates[i].star_place; });
  return found;
}

Star::Star(const std::vector<Candidate>& candidates, Parameters parameters)
    : parameters_(std::move(parameters)), group_(groups_of(candidates, parameters_.grouping)) {
  std::vector<std::size_t>& tried = parameters_.tried;
  if (tried.empty()) {
    tried.resize(candidates.size());
    std::iota(tried.begin(), tried.end(), std::size_t{0});
  }
  for (const std::size_t each : tried) {
    const bool is_first_of_group = std::ranges::none_of(
        queue_, [&](std::size_t before) { return group_[before] == group_[each]; });
    if (is_first_of_group) queue_.push_back(each);
  }
  leader_ = queue_.front();
}

bool Star::may_take(std::size_t candidate) const {
  return std::ranges::find(parameters_.tried, candidate) != parameters_.tried.end();
}

CallPlan Star::next(std::span<const std::int64_t> times_ns) {
  std::vector<std::int64_t> times(times_ns.begin(), times_ns.end());
  for (std::int64_t& time : times) time = std::max(time, std::int64_t{1});
  if (!has_begun_) {
    has_begun_ = true;
  } else if (!queue_.empty()) {
    select(times);
  } else {
    adapt(times[0], times[1]);
  }

  const std::int64_t iterations = parameters_.iterations;
  if (queue_.empty()) {
    return {{leader_, (delta_ - 1) * iterations, Timing::summed},
            {leader_, iterations, Timing::summed}};
  }
  CallPlan call_plan;
  for (const std::size_t each : queue_) call_plan.push_back({each, iterations, Timing::each});
  return call_plan;
}

std::vector<Score> Star::scores() const {
  std::vector<Score> found;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const auto value = std::ranges::find(values_, i, &Value::candidate);
    if (value == values_.end()) {
      found.push_back({i, 0, 0});
    } else {
      found.push_back({i, parameters_.iterations, value->ns});
    }
  }
  return found;
}

void Star::select(std::span<const std::int64_t> times) {
  const auto iterations = static_cast<std::size_t>(parameters_.iterations);
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const auto own = times.subspan(i * iterations, iterations);
    values_.push_back({queue_[i], *std::ranges::min_element(own)});
  }
  std::ranges::stable_sort(values_, {}, &Value::ns);
  const Value& best = values_.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (queue_[i / iterations] == best.candidate) continue;
    excess_ns_ += std::max(std::int64_t{0}, times[i] - best.ns);
  }
  choose();
}

void Star::adapt(std::int64_t before_last_ns, std::int64_t last_ns) {
  const std::int64_t calls = delta_ * parameters_.iterations;
  const std::int64_t sum_ns = before_last_ns + last_ns;
  // Returns true if sum / count < 1.1 * second-best value. Alone, a candidate is good enough.
  const auto is_good = [&](std::int64_t sum, std::int64_t count) {
    return values_.size() < 2 ||
           __int128{100} * sum < __int128{slack_percent} * values_[1].ns * count;
  };
  if (is_good(sum_ns, calls)) {
    delta_ *= 2;
    return;
  }
  delta_ = first_delta;
  if (is_good(last_ns, parameters_.iterations)) return;
  values_.front().ns = rounded_mean(sum_ns, calls);
  std::ranges::stable_sort(values_, {}, &Value::ns);
  choose();
}

void Star::choose() {
  leader_ = values_.front().candidate;
  queue_ = unmeasured_beside(leader_);
}

std::vector<std::size_t> Star::unmeasured_beside(std::size_t candidate) const {
  std::vector<std::size_t> found;
  for (const std::size_t each : parameters_.tried) {
    if (group_[each] == group_[candidate] && !is_measured(each)) found.push_back(each);
  }
  return found;
}

bool Star::is_measured(std::size_t candidate) const {
  return std::ranges::find(values_, candidate, &Value::candidate) != values_.end();
}

}  // namespace gatherbench::policies
